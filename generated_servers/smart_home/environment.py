"""Smart home. Compiled from blueprint.yaml; run `envscaler build smart_home` after changing it there.

Switches the devices of a family's house within the limits of its circuits and of the current mode, runs scenes
by hand and by schedule, and keeps children away from what is dangerous.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
Time = Annotated[str, {"format": "time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "A circuit never carries more than its limit.",
    "One mode is active at a time.",
    "No device runs higher than the active mode allows.",
    "Dangerous devices run only while an adult is at home.",
    "A faulty device is off.",
    "A scene sets a device once.",
    "A scene never asks more of a circuit than its limit.",
    "A device with a child lock is in no scene.",
    "Dangerous devices are in no scene.",
    "Two schedules never start at the same time of a weekday.",
    "A schedule has weekdays, each once.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "set_device",
    "set_lock",
    "report_fault",
    "note_presence",
    "change_mode",
    "switch_off",
    "run_scene",
    "save_scene",
    "put_in_scene",
    "add_schedule",
    "pause_schedule",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "rooms": ("name",),
    "circuits": ("name",),
    "devices": ("name",),
    "people": ("name",),
    "modes": ("name",),
    "scenes": ("name",),
    "scene_steps": (),
    "schedules": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("devices", "circuit_id"),
    ("scene_steps", "device_id"),
    ("scene_steps", "scene_id"),
    ("scenes", "name"),
    ("schedules", "at"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Room(TypedDict):
    id: str
    name: str
    floor: Literal["ground_floor", "upstairs", "basement"]


class Circuit(TypedDict):
    id: str
    name: str
    limit: int


class Device(TypedDict):
    id: str
    name: str
    room_id: str
    circuit_id: str
    kind: Literal["light", "heater", "kitchen", "laundry", "tool"]
    watts: int
    dangerous: bool
    level: int
    locked: bool
    faulty: bool


class Person(TypedDict):
    id: str
    name: str
    child: bool
    home: bool


class Mode(TypedDict):
    id: str
    name: str
    active: bool
    heating_most: int
    lights_most: int
    kitchen: bool


class Scene(TypedDict):
    id: str
    name: str
    last_run: str | None


class SceneStep(TypedDict):
    id: str
    scene_id: str
    device_id: str
    level: int


class Schedule(TypedDict):
    id: str
    scene_id: str
    at: str
    weekdays: list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]]
    active: bool


class SaveSceneStep(TypedDict):
    device_id: str
    level: Annotated[int, {"minimum": 0, "maximum": 100}]


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


class SmartHome:
    """Switches the devices of a family's house within the limits of its circuits and of the current mode,
    runs scenes by hand and by schedule, and keeps children away from what is dangerous.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.rooms: dict[str, Room] = _copied(config.get("rooms", {}))
        self.circuits: dict[str, Circuit] = _copied(config.get("circuits", {}))
        self.devices: dict[str, Device] = _copied(config.get("devices", {}))
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.modes: dict[str, Mode] = _copied(config.get("modes", {}))
        self.scenes: dict[str, Scene] = _copied(config.get("scenes", {}))
        self.scene_steps: dict[str, SceneStep] = _copied(config.get("scene_steps", {}))
        self.schedules: dict[str, Schedule] = _copied(config.get("schedules", {}))
        self.now: str = config.get("now", "2026-11-18T16:40")
        self.counters: dict[str, int] = {
            "room": len(self.rooms),
            "circuit": len(self.circuits),
            "device": len(self.devices),
            "person": len(self.people),
            "mode": len(self.modes),
            "scene": len(self.scenes),
            "scene_step": len(self.scene_steps),
            "schedule": len(self.schedules),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._devices_by_circuit: dict[Any, dict[str, Device]] = {}
        self._scenes_by_name: dict[Any, dict[str, Scene]] = {}
        self._scene_steps_by_device: dict[Any, dict[str, SceneStep]] = {}
        self._scene_steps_by_scene: dict[Any, dict[str, SceneStep]] = {}
        self._scene_steps_by_scene_device: dict[Any, dict[str, SceneStep]] = {}
        self._schedules_by_at: dict[Any, dict[str, Schedule]] = {}
        for device in self.devices.values():
            self._link("devices", device)
        for scene in self.scenes.values():
            self._link("scenes", scene)
        for scene_step in self.scene_steps.values():
            self._link("scene_steps", scene_step)
        for schedule in self.schedules.values():
            self._link("schedules", schedule)

    def running(
        self,
        circuit_id: str | None = None,
        room_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Devices that are on, those that draw most first.

        Args:
            circuit_id (str, optional): Only devices on this circuit; an id such as CIRCUIT-00001. If left out,
                devices on all circuits are listed.
            room_id (str, optional): Only devices in this room; an id such as ROOM-00001. If left out, devices in
                all rooms are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "devices": records}} or {"success": False, "error": why
                not}
        """
        circuit = self.circuits.get(circuit_id) if circuit_id is not None else None
        if circuit_id is not None and circuit is None:
            return _refused(f"There is no circuit {circuit_id!r}.")
        room = self.rooms.get(room_id) if room_id is not None else None
        if room_id is not None and room is None:
            return _refused(f"There is no room {room_id!r}.")
        found = [
            d
            for d in self.devices.values()
            if d["level"] > 0
            and (circuit_id is None or d["circuit_id"] == circuit_id)
            and (room_id is None or d["room_id"] == room_id)
        ]
        found.sort(key=lambda d: (-self._device_draw(d), d["name"], _age(d)))
        return _found(
            {
                "total": len(found),
                "devices": [
                    {
                        "id": d["id"],
                        "name": d["name"],
                        "room": self.rooms[d["room_id"]]["name"],
                        "level": d["level"],
                        "draw": self._device_draw(d),
                        "circuit": self.circuits[d["circuit_id"]]["name"],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def scene_check(self, scene_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """What a scene would bring each circuit to.

        Args:
            scene_id (str): Id of the scene, such as SCENE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "circuits": records}} or {"success": False, "error": why
                not}
        """
        scene = self.scenes.get(scene_id)
        if scene is None:
            return _refused(f"There is no scene {scene_id!r}.")
        found = [c for c in self.circuits.values() if self._scene_draw(scene, c) > 0]
        found.sort(key=lambda c: (c["name"], _age(c)))
        return _found(
            {
                "total": len(found),
                "circuits": [
                    {
                        "circuit": c["name"],
                        "limit": c["limit"],
                        "now_at": self._circuit_load(c),
                        "would_be": self._after_scene(scene, c),
                    }
                    for c in _page(found, offset)
                ],
            }
        )

    def list_rooms(
        self,
        name: Text | None = None,
        floor: Literal["ground_floor", "upstairs", "basement"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the rooms, oldest first, all of them or only some.

        Args:
            name (str, optional): Only rooms whose name contains this text.
            floor (str, optional): Only rooms with this floor.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "rooms": records}}
        """
        found = [
            room
            for room in self.rooms.values()
            if (name is None or name.casefold() in room["name"].casefold())
            and (floor is None or room["floor"] == floor)
        ]
        return _found({"total": len(found), "rooms": [{**room} for room in _page(found, offset)]})

    def list_circuits(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the circuits, oldest first, all of them or only some.

        Args:
            name (str, optional): Only circuits whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "circuits": records}}
        """
        found = [
            circuit
            for circuit in self.circuits.values()
            if (name is None or name.casefold() in circuit["name"].casefold())
        ]
        return _found(
            {"total": len(found), "circuits": [self._show_circuit(circuit) for circuit in _page(found, offset)]}
        )

    def list_devices(
        self,
        name: Text | None = None,
        room_id: str | None = None,
        circuit_id: str | None = None,
        kind: Literal["light", "heater", "kitchen", "laundry", "tool"] | None = None,
        dangerous: bool | None = None,
        locked: bool | None = None,
        faulty: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the devices, oldest first, all of them or only some.

        Args:
            name (str, optional): Only devices whose name contains this text.
            room_id (str, optional): Only devices of this room.
            circuit_id (str, optional): Only devices of this circuit.
            kind (str, optional): Only devices with this kind.
            dangerous (bool, optional): Only devices that are dangerous (true) or not (false).
            locked (bool, optional): Only devices that are locked (true) or not (false).
            faulty (bool, optional): Only devices with this value of `faulty`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "devices": records}}
        """
        if room_id is not None and room_id not in self.rooms:
            return _refused(f"There is no room {room_id!r}.")
        if circuit_id is not None and circuit_id not in self.circuits:
            return _refused(f"There is no circuit {circuit_id!r}.")
        found = [
            device
            for device in self.devices.values()
            if (name is None or name.casefold() in device["name"].casefold())
            and (room_id is None or device["room_id"] == room_id)
            and (circuit_id is None or device["circuit_id"] == circuit_id)
            and (kind is None or device["kind"] == kind)
            and (dangerous is None or device["dangerous"] == dangerous)
            and (locked is None or device["locked"] == locked)
            and (faulty is None or device["faulty"] == faulty)
        ]
        shown = [self._show_device(device) for device in _page(found, offset)]
        return _found({"total": len(found), "devices": shown}, self._names_of_devices(shown))

    def list_people(
        self,
        name: Text | None = None,
        child: bool | None = None,
        home: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            child (bool, optional): Only people with this value of `child`.
            home (bool, optional): Only people with this value of `home`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
            and (child is None or person["child"] == child)
            and (home is None or person["home"] == home)
        ]
        return _found({"total": len(found), "people": [{**person} for person in _page(found, offset)]})

    def list_modes(
        self,
        name: Text | None = None,
        active: bool | None = None,
        kitchen: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the modes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only modes whose name contains this text.
            active (bool, optional): Only modes that are active (true) or not (false).
            kitchen (bool, optional): Only modes with this value of `kitchen`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "modes": records}}
        """
        found = [
            mode
            for mode in self.modes.values()
            if (name is None or name.casefold() in mode["name"].casefold())
            and (active is None or mode["active"] == active)
            and (kitchen is None or mode["kitchen"] == kitchen)
        ]
        return _found({"total": len(found), "modes": [{**mode} for mode in _page(found, offset)]})

    def list_scenes(
        self,
        name: Text | None = None,
        last_run_from: Date | None = None,
        last_run_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the scenes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only scenes whose name contains this text.
            last_run_from (str, optional): Only scenes whose `last_run` is on this day or later.
            last_run_to (str, optional): Only scenes whose `last_run` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "scenes": records}}
        """
        found = [
            scene
            for scene in self.scenes.values()
            if (name is None or name.casefold() in scene["name"].casefold())
            and (last_run_from is None or (scene["last_run"] is not None and scene["last_run"][:10] >= last_run_from))
            and (last_run_to is None or (scene["last_run"] is not None and scene["last_run"][:10] <= last_run_to))
        ]
        return _found({"total": len(found), "scenes": [{**scene} for scene in _page(found, offset)]})

    def list_scene_steps(
        self,
        scene_id: str | None = None,
        device_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the scene steps, oldest first, all of them or only some.

        Args:
            scene_id (str, optional): Only scene steps of this scene.
            device_id (str, optional): Only scene steps of this device.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "scene_steps": records}}
        """
        if scene_id is not None and scene_id not in self.scenes:
            return _refused(f"There is no scene {scene_id!r}.")
        if device_id is not None and device_id not in self.devices:
            return _refused(f"There is no device {device_id!r}.")
        found = [
            scene_step
            for scene_step in self.scene_steps.values()
            if (scene_id is None or scene_step["scene_id"] == scene_id)
            and (device_id is None or scene_step["device_id"] == device_id)
        ]
        shown = [{**scene_step} for scene_step in _page(found, offset)]
        return _found({"total": len(found), "scene_steps": shown}, self._names_of_scene_steps(shown))

    def list_schedules(
        self,
        scene_id: str | None = None,
        active: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the schedules, oldest first, all of them or only some.

        Args:
            scene_id (str, optional): Only schedules of this scene.
            active (bool, optional): Only schedules that are active (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "schedules": records}}
        """
        if scene_id is not None and scene_id not in self.scenes:
            return _refused(f"There is no scene {scene_id!r}.")
        found = [
            schedule
            for schedule in self.schedules.values()
            if (scene_id is None or schedule["scene_id"] == scene_id)
            and (active is None or schedule["active"] == active)
        ]
        shown = [self._show_schedule(schedule) for schedule in _page(found, offset)]
        return _found({"total": len(found), "schedules": shown}, self._names_of_schedules(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def set_device(self, device_id: str, level: Annotated[int, {"minimum": 0, "maximum": 100}], by_id: str) -> Result:
        """Set a device to a level from 0 to 100 on behalf of somebody.

        Args:
            device_id (str): Id of the device, such as DEVICE-00001.
            level (int): New level of the device in percent, 0 being off, from 0 to 100.
            by_id (str): Person who asks for it, as children may not set everything; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        device = self.devices.get(device_id)
        if device is None:
            return _refused(f"There is no device {device_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if device["level"] == level:
            return _refused(f"The {device['name']} is at {level} already.")
        if device["locked"] and by["child"]:
            return _refused(f"The {device['name']} has a child lock and {by['name']} is a child.")
        if device["faulty"] and level != 0:
            return _refused(f"The {device['name']} is faulty.")
        if device["dangerous"] and level != 0 and by["child"]:
            return _refused(f"{by['name']} is a child and must not switch the {device['name']} on.")
        if not (not device["dangerous"] or level == 0 or self._adult_home(True)):
            return _refused(f"No adult is at home, so the {device['name']} stays off.")
        mode = self._mode_now(True)
        if mode is not None and level > self._ceiling(device, mode):
            return _refused(f"The mode {mode['name']} allows {self._ceiling(device, mode)} for the {device['name']}.")
        if (
            self._circuit_load(self.circuits[device["circuit_id"]])
            - self._device_draw(device)
            + device["watts"] * level // 100 > self.circuits[device["circuit_id"]]["limit"]
        ):
            return _refused(
                f"The circuit {self.circuits[device['circuit_id']]['name']} has "
                f"{self._circuit_spare(self.circuits[device['circuit_id']])} watts to spare, so turn something on "
                "it down first."
            )
        self._journal = []
        self._put("devices", device, "level", level)
        if self._breaks_rule_1(self.circuits[device["circuit_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_3_d(device):
            return self._take_back(RULES[2])
        if self._breaks_rule_4():
            return self._take_back(RULES[3])
        if self._breaks_rule_5(device):
            return self._take_back(RULES[4])
        return {"success": True, "message": f"Done: set the {device['name']} to {level}.", "data": self._changes()}

    def set_lock(self, device_id: str, locked: bool, by_id: str) -> Result:
        """Put a child lock on a device, or take it off.

        Args:
            device_id (str): Id of the device, such as DEVICE-00001.
            locked (bool): Whether the child lock is on.
            by_id (str): Person who asks for it, no child; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        device = self.devices.get(device_id)
        if device is None:
            return _refused(f"There is no device {device_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if device["locked"] == locked:
            return _refused(f"The lock of the {device['name']} is like that.")
        if by["child"]:
            return _refused(f"{by['name']} is a child.")
        step = next((t for t in sorted(self._scene_steps_by_device.get(device_id, {}).values(), key=_age)), None)
        if locked and step is not None:
            return _refused(
                f"The {device['name']} is in the scene {self.scenes[step['scene_id']]['name']}, so take it out "
                "there first."
            )
        self._journal = []
        self._put("devices", device, "locked", locked)
        for one_scene_step in _distinct(self._scene_steps_by_device.get(device["id"], {}).values()):
            if self._breaks_rule_8(one_scene_step):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: change the child lock of the {device['name']}.",
            "data": self._changes(),
        }

    def report_fault(self, device_id: str, faulty: bool) -> Result:
        """Note that a device is faulty, which switches it off, or that it was repaired.

        Args:
            device_id (str): Id of the device, such as DEVICE-00001.
            faulty (bool): Whether the device is faulty, or was repaired.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        device = self.devices.get(device_id)
        if device is None:
            return _refused(f"There is no device {device_id!r}.")
        if device["faulty"] == faulty:
            return _refused(f"That is known of the {device['name']}.")
        self._journal = []
        self._put("devices", device, "faulty", faulty)
        self._put("devices", device, "level", 0)
        if self._breaks_rule_1(self.circuits[device["circuit_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_3_d(device):
            return self._take_back(RULES[2])
        if self._breaks_rule_4():
            return self._take_back(RULES[3])
        if self._breaks_rule_5(device):
            return self._take_back(RULES[4])
        return {"success": True, "message": f"Done: report on the {device['name']}.", "data": self._changes()}

    def note_presence(self, person_id: str, home: bool) -> Result:
        """Note that somebody came home or left; when the last adult leaves, dangerous devices go off.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            home (bool): Whether the person is at home now.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        if person["home"] == home:
            return _refused(f"That is how it is with {person['name']}.")
        self._journal = []
        changed_devices: list[Any] = []
        self._put("people", person, "home", home)
        if not self._adult_home(True):
            for d in [d for d in self.devices.values() if d["dangerous"] and d["level"] > 0]:
                changed_devices.append(d)
                self._put("devices", d, "level", 0)
        for one_circuit in _distinct([self.circuits[one["circuit_id"]] for one in changed_devices]):
            if self._breaks_rule_1(one_circuit):
                return self._take_back(RULES[0])
        for one_device in _distinct(changed_devices):
            if self._breaks_rule_3_d(one_device):
                return self._take_back(RULES[2])
        if self._breaks_rule_4():
            return self._take_back(RULES[3])
        for one_device in _distinct(changed_devices):
            if self._breaks_rule_5(one_device):
                return self._take_back(RULES[4])
        return {"success": True, "message": f"Done: note where {person['name']} is.", "data": self._changes()}

    def change_mode(self, mode_id: str, by_id: str) -> Result:
        """Let a grown-up change the mode of the house; devices above what it allows are turned down.

        Args:
            mode_id (str): Id of the mode, such as MODE-00001.
            by_id (str): Person who changes the mode, no child; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        mode = self.modes.get(mode_id)
        if mode is None:
            return _refused(f"There is no mode {mode_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if by["child"]:
            return _refused(f"{by['name']} is a child, and the mode is changed by grown-ups.")
        if mode["active"]:
            return _refused(f"The house is in the mode {mode['name']} already.")
        self._journal = []
        changed_modes: list[Any] = []
        changed_devices: list[Any] = []
        for m in [m for m in self.modes.values() if m["active"]]:
            changed_modes.append(m)
            self._put("modes", m, "active", False)
        self._put("modes", mode, "active", True)
        for d in [d for d in self.devices.values() if d["level"] > self._ceiling(d, mode)]:
            level = self._ceiling(d, mode)
            if not 0 <= level <= 100:
                return self._take_back(f"The level of {d['name']} must be between 0 and 100.")
            changed_devices.append(d)
            self._put("devices", d, "level", level)
        for one_circuit in _distinct([self.circuits[one["circuit_id"]] for one in changed_devices]):
            if self._breaks_rule_1(one_circuit):
                return self._take_back(RULES[0])
        for one_mode in _distinct([mode, *changed_modes]):
            if self._breaks_rule_2(one_mode):
                return self._take_back(RULES[1])
        for one_mode in _distinct([mode, *changed_modes]):
            if self._breaks_rule_3_m(one_mode):
                return self._take_back(RULES[2])
        for one_device in _distinct(changed_devices):
            if self._breaks_rule_3_d(one_device):
                return self._take_back(RULES[2])
        if self._breaks_rule_4():
            return self._take_back(RULES[3])
        for one_device in _distinct(changed_devices):
            if self._breaks_rule_5(one_device):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: change the mode to {mode['name']} for {by['name']}.",
            "data": self._changes(),
        }

    def switch_off(self, room_id: str | None = None, circuit_id: str | None = None) -> Result:
        """Switch off every device that is on, in the whole house, in a room or on a circuit, on leaving or because of
        smoke or water.

        Args:
            room_id (str, optional): Only devices in this room, not together with a circuit; an id such as
                ROOM-00001. If left out, it does not narrow what goes off.
            circuit_id (str, optional): Only devices on this circuit, not together with a room; an id such as
                CIRCUIT-00001. If left out, it does not narrow what goes off.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        room = self.rooms.get(room_id) if room_id is not None else None
        if room_id is not None and room is None:
            return _refused(f"There is no room {room_id!r}.")
        circuit = self.circuits.get(circuit_id) if circuit_id is not None else None
        if circuit_id is not None and circuit is None:
            return _refused(f"There is no circuit {circuit_id!r}.")
        if room_id is not None and circuit_id is not None:
            return _refused("Name a room or a circuit, not both.")
        if not any(
            circuit_id is None
            or d["circuit_id"] == circuit_id
            for d in self.devices.values()
            if d["level"] > 0
            and (room_id is None or d["room_id"] == room_id)
        ):
            return _refused("Nothing is on there.")
        self._journal = []
        changed_devices: list[Any] = []
        for d in [
            d
            for d in self.devices.values()
            if d["level"] > 0
            and (room_id is None or d["room_id"] == room_id)
            and (circuit_id is None or d["circuit_id"] == circuit_id)
        ]:
            changed_devices.append(d)
            self._put("devices", d, "level", 0)
        for one_circuit in _distinct([self.circuits[one["circuit_id"]] for one in changed_devices]):
            if self._breaks_rule_1(one_circuit):
                return self._take_back(RULES[0])
        for one_device in _distinct(changed_devices):
            if self._breaks_rule_3_d(one_device):
                return self._take_back(RULES[2])
        if self._breaks_rule_4():
            return self._take_back(RULES[3])
        for one_device in _distinct(changed_devices):
            if self._breaks_rule_5(one_device):
                return self._take_back(RULES[4])
        done = "switch everything off"
        if room is not None:
            done += f" in the {room['name']}"
        if circuit is not None:
            done += f" on the {circuit['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def run_scene(self, scene_id: str) -> Result:
        """Set all devices of a scene, those with a lower ceiling in the current mode only that high.

        Args:
            scene_id (str): Id of the scene, such as SCENE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        scene = self.scenes.get(scene_id)
        if scene is None:
            return _refused(f"There is no scene {scene_id!r}.")
        broken = next(
            (
                t
                for t in sorted(self._scene_steps_by_scene.get(scene_id, {}).values(), key=_age)
                if self.devices[t["device_id"]]["faulty"]
                and t["level"] > 0
            ),
            None,
        )
        if broken is not None:
            return _refused(
                f"The {self.devices[broken['device_id']]['name']} in {scene['name']} is faulty, so take it out of "
                "the scene first."
            )
        if not self._scene_steps_by_scene.get(scene_id, {}):
            return _refused(f"The scene {scene['name']} is empty.")
        full = next((c for c in self.circuits.values() if self._after_scene(scene, c) > c["limit"]), None)
        if full is not None:
            return _refused(
                f"{scene['name']} would bring the circuit {full['name']} to {self._after_scene(scene, full)} of "
                f"{full['limit']} watts, so turn something else off first."
            )
        self._journal = []
        changed_devices: list[Any] = []
        mode = self._mode_now(True)
        for t in sorted(self._scene_steps_by_scene.get(scene_id, {}).values(), key=_age):
            device = self.devices[t["device_id"]]
            level = t["level"] if mode is None else min(t["level"], self._ceiling(self.devices[t["device_id"]], mode))
            if not 0 <= level <= 100:
                return self._take_back(f"The level of {device['name']} must be between 0 and 100.")
            changed_devices.append(device)
            self._put("devices", device, "level", level)
        self._put("scenes", scene, "last_run", self.now)
        for one_circuit in _distinct([self.circuits[one["circuit_id"]] for one in changed_devices]):
            if self._breaks_rule_1(one_circuit):
                return self._take_back(RULES[0])
        for one_device in _distinct(changed_devices):
            if self._breaks_rule_3_d(one_device):
                return self._take_back(RULES[2])
        if self._breaks_rule_4():
            return self._take_back(RULES[3])
        for one_device in _distinct(changed_devices):
            if self._breaks_rule_5(one_device):
                return self._take_back(RULES[4])
        return {"success": True, "message": f"Done: run the scene {scene['name']}.", "data": self._changes()}

    def save_scene(self, name: Text, steps: Annotated[list[SaveSceneStep], {"maxItems": 20}]) -> Result:
        """Save a new scene with the level of each of its devices.

        Args:
            name (str): Name of the new scene, not in use yet.
            steps (list): One entry for each device, each device once: device_id: device of the scene, neither
                locked nor dangerous; an id such as DEVICE-00001; level: level of the device in percent, 0 being
                off, from 0 to 100.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        entries, steps = steps, []
        for entry in entries:
            if entry["device_id"] not in self.devices:
                return _refused(f"There is no device {entry['device_id']!r}.")
            steps.append({"device": self.devices[entry["device_id"]], "level": entry["level"]})
        if self._scenes_by_name.get(name, {}):
            return _refused(f"There is a scene {name} already.")
        if not (len(steps) > 0 and _different([x["device"]["id"] for x in steps])):
            return _refused("Name at least one device, and each once.")
        if any(x["device"]["locked"] or x["device"]["dangerous"] for x in steps):
            return _refused("Locked and dangerous devices belong in no scene.")
        full = next(
            (
                c
                for c in self.circuits.values()
                if sum(
                    x["device"]["watts"] * x["level"] // 100
                    for x in steps
                    if x["device"]["circuit_id"] == c["id"]
                ) > c["limit"]
            ),
            None,
        )
        if full is not None:
            return _refused(f"That is more than the {full['limit']} watts of the circuit {full['name']}.")
        self._journal = []
        added_scene_steps: list[Any] = []
        scene: Scene = {"id": self._new_id("scene", "SCENE", self.scenes), "name": name, "last_run": None}
        self._add("scenes", scene)
        for x in sorted(steps, key=lambda x: (x["device"]["name"],)):
            scene_step = {
                "id": self._new_id("scene_step", "SS", self.scene_steps),
                "scene_id": scene["id"],
                "device_id": x["device"]["id"],
                "level": x["level"],
            }
            self._add("scene_steps", scene_step)
            added_scene_steps.append(scene_step)
        if len(self._scenes_by_name.get(scene["name"], {})) > 1:
            return self._take_back(f"There is already a scene with the name {scene['name']!r}.")
        for one_scene_step in _distinct(added_scene_steps):
            if self._breaks_rule_6(one_scene_step):
                return self._take_back(RULES[5])
        for one_scene_step in _distinct(
            [
                *added_scene_steps,
                *[
                    user
                    for one in [self.scenes[one["scene_id"]] for one in added_scene_steps]
                    for user in self._scene_steps_by_scene.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7(one_scene_step):
                return self._take_back(RULES[6])
        for one_scene_step in _distinct(added_scene_steps):
            if self._breaks_rule_8(one_scene_step):
                return self._take_back(RULES[7])
        for one_scene_step in _distinct(added_scene_steps):
            if self._breaks_rule_9(one_scene_step):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: save the scene {name} (new: scene {scene['id']}).",
            "data": {"scene_id": scene["id"], **self._changes()},
        }

    def put_in_scene(
        self,
        scene_id: str,
        device_id: str,
        level: Annotated[int, {"minimum": 0, "maximum": 100}] | None = None,
    ) -> Result:
        """Put a device into a scene, give it another level there, or take it out.

        Args:
            scene_id (str): Id of the scene, such as SCENE-00001.
            device_id (str): Id of the device, such as DEVICE-00001.
            level (int, optional): Level of the device in the scene, in percent, from 0 to 100. If left out, the
                device is taken out of the scene.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        scene = self.scenes.get(scene_id)
        if scene is None:
            return _refused(f"There is no scene {scene_id!r}.")
        device = self.devices.get(device_id)
        if device is None:
            return _refused(f"There is no device {device_id!r}.")
        step = self._step_of(scene, device)
        if level is None and step is None:
            return _refused(f"The {device['name']} is not in {scene['name']}.")
        if not (level is None or not device["locked"] and not device["dangerous"]):
            return _refused(f"The {device['name']} is locked or dangerous and belongs in no scene.")
        if (
            level is not None
            and self._scene_draw(scene, self.circuits[device["circuit_id"]]) - (
                0
                if step is None
                else self.devices[step["device_id"]]["watts"] * step["level"] // 100
            ) + device["watts"] * level // 100 > self.circuits[device["circuit_id"]]["limit"]
        ):
            return _refused(
                f"That is more than the {self.circuits[device['circuit_id']]['limit']} watts of the circuit "
                f"{self.circuits[device['circuit_id']]['name']}."
            )
        self._journal = []
        added_scene_steps: list[Any] = []
        deleted_scene_steps: list[Any] = []
        changed_scene_steps: list[Any] = []
        if step is None:
            new_level = level if level is not None else 0
            if not 0 <= new_level <= 100:
                return self._take_back("The level of a scene step must be between 0 and 100.")
            scene_step = {
                "id": self._new_id("scene_step", "SS", self.scene_steps),
                "scene_id": scene_id,
                "device_id": device_id,
                "level": new_level,
            }
            self._add("scene_steps", scene_step)
            added_scene_steps.append(scene_step)
        else:
            if level is None:
                if step["id"] in self.scene_steps:
                    self._remove("scene_steps", step)
                deleted_scene_steps.append(step)
            else:
                changed_scene_steps.append(step)
                if step["id"] in self.scene_steps:
                    self._put("scene_steps", step, "level", level)
        for one_scene_step in _distinct(added_scene_steps):
            if one_scene_step["id"] in self.scene_steps and self._breaks_rule_6(one_scene_step):
                return self._take_back(RULES[5])
        for one_scene_step in _distinct(
            [
                *added_scene_steps,
                *[
                    user
                    for one in [self.scenes[one["scene_id"]] for one in added_scene_steps]
                    for user in self._scene_steps_by_scene.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.scenes[one["scene_id"]] for one in deleted_scene_steps]
                    for user in self._scene_steps_by_scene.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.scenes[one["scene_id"]] for one in changed_scene_steps]
                    for user in self._scene_steps_by_scene.get(one["id"], {}).values()
                ],
            ]
        ):
            if one_scene_step["id"] in self.scene_steps and self._breaks_rule_7(one_scene_step):
                return self._take_back(RULES[6])
        for one_scene_step in _distinct(added_scene_steps):
            if one_scene_step["id"] in self.scene_steps and self._breaks_rule_8(one_scene_step):
                return self._take_back(RULES[7])
        for one_scene_step in _distinct(added_scene_steps):
            if one_scene_step["id"] in self.scene_steps and self._breaks_rule_9(one_scene_step):
                return self._take_back(RULES[8])
        done = f"change the {device['name']} in {scene['name']}"
        if level is not None:
            done += f" to {level}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def add_schedule(
        self,
        scene_id: str,
        at: Time,
        weekdays: Annotated[list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]], {"maxItems": 20}],
    ) -> Result:
        """Let a scene run at a time of some weekdays.

        Args:
            scene_id (str): Id of the scene, such as SCENE-00001.
            at (str): Time of day at which the scene runs, as HH:MM.
            weekdays (list): Days of the week on which it runs, each once: mon, tue, wed, thu, fri, sat or sun.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        scene = self.scenes.get(scene_id)
        if scene is None:
            return _refused(f"There is no scene {scene_id!r}.")
        if not (len(weekdays) > 0 and _different([w for w in weekdays])):
            return _refused("Name at least one weekday, and each once.")
        other = next(
            (
                s
                for s in sorted(self._schedules_by_at.get(at, {}).values(), key=_age)
                if s["active"]
                and any(w in s["weekdays"] for w in weekdays)
            ),
            None,
        )
        if other is not None:
            return _refused(
                f"{self.scenes[other['scene_id']]['name']} runs at {at} on one of these days, so pause that first."
            )
        self._journal = []
        schedule: Schedule = {
            "id": self._new_id("schedule", "SCHEDULE", self.schedules),
            "scene_id": scene_id,
            "at": at,
            "weekdays": [*[w for w in ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] if w in weekdays]],
            "active": True,
        }
        self._add("schedules", schedule)
        if self._breaks_rule_10():
            return self._take_back(RULES[9])
        if self._breaks_rule_11(schedule):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: run {scene['name']} at {at} (new: schedule {schedule['id']}).",
            "data": {"schedule_id": schedule["id"], **self._changes()},
        }

    def pause_schedule(self, schedule_id: str, active: bool) -> Result:
        """Pause a schedule, or let it run again.

        Args:
            schedule_id (str): Id of the schedule, such as SCHEDULE-00001.
            active (bool): Whether the schedule runs, or is paused.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        schedule = self.schedules.get(schedule_id)
        if schedule is None:
            return _refused(f"There is no schedule {schedule_id!r}.")
        if schedule["active"] == active:
            return _refused(f"The schedule of {self.scenes[schedule['scene_id']]['name']} is like that.")
        other = next(
            (
                s
                for s in sorted(self._schedules_by_at.get(schedule["at"], {}).values(), key=_age)
                if s is not schedule
                and s["active"]
                and any(w in s["weekdays"] for w in schedule["weekdays"])
            ),
            None,
        )
        if active and other is not None:
            return _refused(
                f"{self.scenes[other['scene_id']]['name']} runs at {schedule['at']} on one of these days, so "
                "pause that first."
            )
        self._journal = []
        self._put("schedules", schedule, "active", active)
        if self._breaks_rule_10():
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: change the schedule of {self.scenes[schedule['scene_id']]['name']} at {schedule['at']}."
            ),
            "data": self._changes(),
        }

    def _show_circuit(self, circuit: Circuit) -> dict[str, Any]:
        """The circuit as an answer shows it."""
        return {**circuit, "load": self._circuit_load(circuit), "spare": self._circuit_spare(circuit)}

    def _show_device(self, device: Device) -> dict[str, Any]:
        """The device as an answer shows it."""
        return {**device, "draw": self._device_draw(device)}

    def _show_schedule(self, schedule: Schedule) -> dict[str, Any]:
        """The schedule as an answer shows it."""
        return {**schedule, "weekdays": [*schedule["weekdays"]]}

    def _names_of_devices(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that devices point to."""
        return _names(
            (self.rooms, "name", [row["room_id"] for row in shown]),
            (self.circuits, "name", [row["circuit_id"] for row in shown]),
        )

    def _names_of_scene_steps(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that scene steps point to."""
        return _names(
            (self.scenes, "name", [row["scene_id"] for row in shown]),
            (self.devices, "name", [row["device_id"] for row in shown]),
        )

    def _names_of_schedules(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that schedules point to."""
        return _names((self.scenes, "name", [row["scene_id"] for row in shown]))

    def _circuit_load(self, circuit: Circuit) -> int:
        """The load of a circuit."""
        return sum(self._device_draw(d) for d in self._devices_by_circuit.get(circuit["id"], {}).values())

    def _circuit_spare(self, circuit: Circuit) -> int:
        """The spare of a circuit."""
        return circuit["limit"] - self._circuit_load(circuit)

    def _device_draw(self, device: Device) -> int:
        """The draw of a device."""
        return device["watts"] * device["level"] // 100

    def _ceiling(self, d: Device, m: Mode) -> int:
        return (
            m["heating_most"]
            if d["kind"] == "heater"
            else m["lights_most"]
            if d["kind"] == "light"
            else (100 if m["kitchen"] else 0)
            if d["kind"] == "kitchen"
            else 100
        )

    def _mode_now(self, p: bool) -> Mode | None:
        return next((m for m in self.modes.values() if m["active"] == p), None)

    def _adult_home(self, p: bool) -> bool:
        return any(x["home"] and not x["child"] for x in self.people.values() if p)

    def _step_of(self, s: Scene, d: Device) -> SceneStep | None:
        return next(
            (t for t in sorted(self._scene_steps_by_scene_device.get((s["id"], d["id"]), {}).values(), key=_age)),
            None,
        )

    def _scene_draw(self, s: Scene, c: Circuit) -> int:
        return sum(
            self.devices[t["device_id"]]["watts"] * t["level"] // 100
            for t in self._scene_steps_by_scene.get(s["id"], {}).values()
            if self.devices[t["device_id"]]["circuit_id"] == c["id"]
        )

    def _after_scene(self, s: Scene, c: Circuit) -> int:
        return (
            self._scene_draw(s, c)
            + sum(
                self._device_draw(d)
                for d in self._devices_by_circuit.get(c["id"], {}).values()
                if self._step_of(s, d) is None
            )
        )

    def _breaks_rule_1(self, c: Circuit) -> bool:
        """Whether this is broken: a circuit never carries more than its limit."""
        return self._circuit_load(c) > c["limit"]

    def _breaks_rule_2(self, m: Mode) -> bool:
        """Whether this is broken: one mode is active at a time."""
        return (
            m["active"]
            and any(
                other_m is not m
                for other_m in self.modes.values()
                if other_m["active"] == m["active"]
                and other_m["active"]
            )
        )

    def _breaks_rule_3_m(self, m: Mode) -> bool:
        """Whether this is broken: no device runs higher than the active mode allows."""
        return m["active"] and any(d["level"] > self._ceiling(d, m) for d in self.devices.values())

    def _breaks_rule_3_d(self, d: Device) -> bool:
        """Whether this is broken: no device runs higher than the active mode allows."""
        return any(d["level"] > self._ceiling(d, m) for m in self.modes.values() if m["active"])

    def _breaks_rule_4(self) -> bool:
        """Whether this is broken: dangerous devices run only while an adult is at home."""
        return not (
            not any(d["dangerous"] and d["level"] > 0 for d in self.devices.values())
            or any(not p["child"] and p["home"] for p in self.people.values())
        )

    def _breaks_rule_5(self, d: Device) -> bool:
        """Whether this is broken: a faulty device is off."""
        return d["faulty"] and d["level"] > 0

    def _breaks_rule_6(self, t: SceneStep) -> bool:
        """Whether this is broken: a scene sets a device once."""
        return any(
            other_t is not t
            for other_t in self._scene_steps_by_scene_device.get((t["scene_id"], t["device_id"]), {}).values()
        )

    def _breaks_rule_7(self, t: SceneStep) -> bool:
        """Whether this is broken: a scene never asks more of a circuit than its limit."""
        return self._scene_draw(
            self.scenes[t["scene_id"]],
            self.circuits[self.devices[t["device_id"]]["circuit_id"]],
        ) > self.circuits[self.devices[t["device_id"]]["circuit_id"]]["limit"]

    def _breaks_rule_8(self, t: SceneStep) -> bool:
        """Whether this is broken: a device with a child lock is in no scene."""
        return self.devices[t["device_id"]]["locked"]

    def _breaks_rule_9(self, t: SceneStep) -> bool:
        """Whether this is broken: dangerous devices are in no scene."""
        return self.devices[t["device_id"]]["dangerous"]

    def _breaks_rule_10(self) -> bool:
        """Whether this is broken: two schedules never start at the same time of a weekday."""
        return not _different([(w, s["at"]) for s in self.schedules.values() if s["active"] for w in s["weekdays"]])

    def _breaks_rule_11(self, s: Schedule) -> bool:
        """Whether this is broken: a schedule has weekdays, each once."""
        return not (len(s["weekdays"]) > 0 and _different([w for w in s["weekdays"]]))

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
            case "devices":
                self._devices_by_circuit.setdefault(record["circuit_id"], {})[record["id"]] = record
            case "scenes":
                self._scenes_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "scene_steps":
                self._scene_steps_by_device.setdefault(record["device_id"], {})[record["id"]] = record
                self._scene_steps_by_scene.setdefault(record["scene_id"], {})[record["id"]] = record
                self._scene_steps_by_scene_device.setdefault(
                    (record["scene_id"], record["device_id"]),
                    {},
                )[record["id"]] = record
            case "schedules":
                self._schedules_by_at.setdefault(record["at"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "devices":
                del self._devices_by_circuit[record["circuit_id"]][record["id"]]
            case "scenes":
                del self._scenes_by_name[record["name"]][record["id"]]
            case "scene_steps":
                del self._scene_steps_by_device[record["device_id"]][record["id"]]
                del self._scene_steps_by_scene[record["scene_id"]][record["id"]]
                del self._scene_steps_by_scene_device[record["scene_id"], record["device_id"]][record["id"]]
            case "schedules":
                del self._schedules_by_at[record["at"]][record["id"]]
