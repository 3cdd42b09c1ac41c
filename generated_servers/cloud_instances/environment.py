"""Cloud instances. Compiled from blueprint.yaml; run `envscaler build cloud_instances` after changing it there.

Runs the virtual machines of a private cloud, with quotas per project, capacity per zone, volumes that hang on
one machine, snapshots and images.
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
    "A project never has more cores than its quota, whether its machines run or not.",
    "The volumes and snapshots of a project stay within its quota of storage.",
    "The machines that run in a zone never need more cores than it has.",
    "A machine has at most one root volume, and root volumes are never loose.",
    "A volume hangs on a machine of its own project and zone.",
    "No machine has more than four volumes.",
    "A root volume is as large as the image of its machine demands.",
    "A machine has the memory that its image demands.",
    "An image of a project is used in that project only.",
    "Running machines that are to be spread never share a zone.",
    "A snapshot is never larger than its volume.",
    "An image belongs to the project of the snapshot it was made from.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "launch_instance",
    "switch_instance",
    "resize_instance",
    "terminate_instance",
    "create_volume",
    "attach_volume",
    "detach_volume",
    "delete_volume",
    "take_snapshot",
    "delete_snapshot",
    "publish_image",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "projects": ("name",),
    "zones": ("name",),
    "flavors": ("name",),
    "images": ("name",),
    "instances": ("name",),
    "volumes": ("name",),
    "snapshots": ("label",),
}
"""What people call a record of each container by."""

INDEXED = {
    ("images", "name"),
    ("images", "source_id"),
    ("instances", "image_id"),
    ("instances", "name"),
    ("instances", "project_id"),
    ("instances", "status"),
    ("instances", "zone_id"),
    ("snapshots", "label"),
    ("snapshots", "volume_id"),
    ("volumes", "instance_id"),
    ("volumes", "kind"),
    ("volumes", "name"),
    ("volumes", "project_id"),
    ("volumes", "source_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Project(TypedDict):
    id: str
    name: str
    max_cores: int
    max_gigabytes: int


class Zone(TypedDict):
    id: str
    name: str
    total_cores: int


class Flavor(TypedDict):
    id: str
    name: str
    cores: int
    memory: int
    hourly: int


class Image(TypedDict):
    id: str
    name: str
    project_id: str | None
    source_id: str | None
    min_disk: int
    min_memory: int
    status: Literal["current", "retired"]


class Instance(TypedDict):
    id: str
    name: str
    project_id: str
    zone_id: str
    flavor_id: str
    image_id: str
    spread: str | None
    protected: bool
    since: str
    status: Literal["running", "stopped"]


class Volume(TypedDict):
    id: str
    name: str
    project_id: str
    zone_id: str
    gigabytes: int
    kind: Literal["root", "data"]
    instance_id: str | None
    since: str
    source_id: str | None


class Snapshot(TypedDict):
    id: str
    label: str
    volume_id: str
    gigabytes: int
    taken_at: str


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


class CloudInstances:
    """Runs the virtual machines of a private cloud, with quotas per project, capacity per zone, volumes
    that hang on one machine, snapshots and images.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.projects: dict[str, Project] = _copied(config.get("projects", {}))
        self.zones: dict[str, Zone] = _copied(config.get("zones", {}))
        self.flavors: dict[str, Flavor] = _copied(config.get("flavors", {}))
        self.images: dict[str, Image] = _copied(config.get("images", {}))
        self.instances: dict[str, Instance] = _copied(config.get("instances", {}))
        self.volumes: dict[str, Volume] = _copied(config.get("volumes", {}))
        self.snapshots: dict[str, Snapshot] = _copied(config.get("snapshots", {}))
        self.now: str = config.get("now", "2026-03-24T14:15")
        self.counters: dict[str, int] = {
            "project": len(self.projects),
            "zone": len(self.zones),
            "flavor": len(self.flavors),
            "image": len(self.images),
            "instance": len(self.instances),
            "volume": len(self.volumes),
            "snapshot": len(self.snapshots),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._images_by_name: dict[Any, dict[str, Image]] = {}
        self._images_by_source: dict[Any, dict[str, Image]] = {}
        self._instances_by_image: dict[Any, dict[str, Instance]] = {}
        self._instances_by_name: dict[Any, dict[str, Instance]] = {}
        self._instances_by_project: dict[Any, dict[str, Instance]] = {}
        self._instances_by_project_status: dict[Any, dict[str, Instance]] = {}
        self._instances_by_project_zone_status: dict[Any, dict[str, Instance]] = {}
        self._instances_by_zone_status: dict[Any, dict[str, Instance]] = {}
        self._volumes_by_instance: dict[Any, dict[str, Volume]] = {}
        self._volumes_by_kind_instance: dict[Any, dict[str, Volume]] = {}
        self._volumes_by_name: dict[Any, dict[str, Volume]] = {}
        self._volumes_by_project: dict[Any, dict[str, Volume]] = {}
        self._volumes_by_source: dict[Any, dict[str, Volume]] = {}
        self._snapshots_by_label: dict[Any, dict[str, Snapshot]] = {}
        self._snapshots_by_volume: dict[Any, dict[str, Snapshot]] = {}
        for image in self.images.values():
            self._link("images", image)
        for instance in self.instances.values():
            self._link("instances", instance)
        for volume in self.volumes.values():
            self._link("volumes", volume)
        for snapshot in self.snapshots.values():
            self._link("snapshots", snapshot)

    def project_usage(self, project_id: str) -> Result:
        """What a project uses and may still use.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.

        Returns:
            dict: {"success": True, "data": {cores, cores_left, gigabytes, gigabytes_left, hourly}} or {"success":
                False, "error": why not}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        return _found(
            {
                "cores": self._project_cores(project),
                "cores_left": self._cores_left(project),
                "gigabytes": self._project_gigabytes(project),
                "gigabytes_left": self._storage_left(project),
                "hourly": sum(
                    self.flavors[i["flavor_id"]]["hourly"]
                    for i in self._instances_by_project_status.get((project_id, "running"), {}).values()
                ),
            }
        )

    def zones_with_room(
        self,
        flavor_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Zones with the cores for a flavor, those with the most cores left first.

        Args:
            flavor_id (str): Id of the flavor, such as FLAVOR-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "zones": records}} or {"success": False, "error": why
                not}
        """
        flavor = self.flavors.get(flavor_id)
        if flavor is None:
            return _refused(f"There is no flavor {flavor_id!r}.")
        found = [z for z in self.zones.values() if self._free_cores(z) >= flavor["cores"]]
        found.sort(key=lambda z: (-self._free_cores(z), z["name"], _age(z)))
        return _found(
            {
                "total": len(found),
                "zones": [
                    {"id": z["id"], "name": z["name"], "cores_left": self._free_cores(z)}
                    for z in _page(found, offset)
                ],
            }
        )

    def loose_volumes(
        self,
        project_id: str | None = None,
        zone_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Volumes that hang on no machine, largest first.

        Args:
            project_id (str, optional): Project to which the volumes belong; an id such as PROJECT-00001. If left
                out, the volumes of all projects are listed.
            zone_id (str, optional): Zone in which the volumes are; an id such as ZONE-00001. If left out, the
                volumes of all zones are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "volumes": records}} or {"success": False, "error": why
                not}
        """
        project = self.projects.get(project_id) if project_id is not None else None
        if project_id is not None and project is None:
            return _refused(f"There is no project {project_id!r}.")
        zone = self.zones.get(zone_id) if zone_id is not None else None
        if zone_id is not None and zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        found = [
            v
            for v in self.volumes.values()
            if v["instance_id"] is None
            and (project_id is None or v["project_id"] == project_id)
            and (zone_id is None or v["zone_id"] == zone_id)
        ]
        found.sort(key=lambda v: (-v["gigabytes"], v["name"], _age(v)))
        shown = [self._show_volume(v) for v in _page(found, offset)]
        return _found({"total": len(found), "volumes": shown}, self._names_of_volumes(shown))

    def list_projects(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the projects, oldest first, all of them or only some.

        Args:
            name (str, optional): Only projects whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "projects": records}}
        """
        found = [
            project
            for project in self.projects.values()
            if (name is None or name.casefold() in project["name"].casefold())
        ]
        return _found(
            {"total": len(found), "projects": [self._show_project(project) for project in _page(found, offset)]}
        )

    def list_zones(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the zones, oldest first, all of them or only some.

        Args:
            name (str, optional): Only zones whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "zones": records}}
        """
        found = [zone for zone in self.zones.values() if (name is None or name.casefold() in zone["name"].casefold())]
        return _found({"total": len(found), "zones": [self._show_zone(zone) for zone in _page(found, offset)]})

    def list_flavors(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the flavors, oldest first, all of them or only some.

        Args:
            name (str, optional): Only flavors whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "flavors": records}}
        """
        found = [
            flavor
            for flavor in self.flavors.values()
            if (name is None or name.casefold() in flavor["name"].casefold())
        ]
        return _found({"total": len(found), "flavors": [{**flavor} for flavor in _page(found, offset)]})

    def list_images(
        self,
        name: Text | None = None,
        project_id: str | None = None,
        source_id: str | None = None,
        status: Literal["current", "retired"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the images, oldest first, all of them or only some.

        Args:
            name (str, optional): Only images whose name contains this text.
            project_id (str, optional): Only images of this project.
            source_id (str, optional): Only images whose source is this snapshot.
            status (str, optional): Only images with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "images": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        if source_id is not None and source_id not in self.snapshots:
            return _refused(f"There is no snapshot {source_id!r}.")
        found = [
            image
            for image in self.images.values()
            if (name is None or name.casefold() in image["name"].casefold())
            and (project_id is None or image["project_id"] == project_id)
            and (source_id is None or image["source_id"] == source_id)
            and (status is None or image["status"] == status)
        ]
        shown = [self._show_image(image) for image in _page(found, offset)]
        return _found({"total": len(found), "images": shown}, self._names_of_images(shown))

    def get_instance(self, instance_id: str) -> Result:
        """Look up one instance by its id.

        Args:
            instance_id (str): Id of the instance, such as INSTANCE-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        instance = self.instances.get(instance_id)
        if instance is None:
            return _refused(f"There is no instance {instance_id!r}.")
        shown = self._show_instance(instance)
        return _found(shown, self._names_of_instances([shown]))

    def list_instances(
        self,
        name: Text | None = None,
        project_id: str | None = None,
        zone_id: str | None = None,
        flavor_id: str | None = None,
        image_id: str | None = None,
        protected: bool | None = None,
        status: Literal["running", "stopped"] | None = None,
        since_from: Date | None = None,
        since_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the instances, oldest first, all of them or only some.

        Args:
            name (str, optional): Only instances whose name contains this text.
            project_id (str, optional): Only instances of this project.
            zone_id (str, optional): Only instances of this zone.
            flavor_id (str, optional): Only instances of this flavor.
            image_id (str, optional): Only instances of this image.
            protected (bool, optional): Only instances that are protected (true) or not (false).
            status (str, optional): Only instances with this status.
            since_from (str, optional): Only instances whose `since` is on this day or later.
            since_to (str, optional): Only instances whose `since` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "instances": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        if zone_id is not None and zone_id not in self.zones:
            return _refused(f"There is no zone {zone_id!r}.")
        if flavor_id is not None and flavor_id not in self.flavors:
            return _refused(f"There is no flavor {flavor_id!r}.")
        if image_id is not None and image_id not in self.images:
            return _refused(f"There is no image {image_id!r}.")
        found = [
            instance
            for instance in self.instances.values()
            if (name is None or name.casefold() in instance["name"].casefold())
            and (project_id is None or instance["project_id"] == project_id)
            and (zone_id is None or instance["zone_id"] == zone_id)
            and (flavor_id is None or instance["flavor_id"] == flavor_id)
            and (image_id is None or instance["image_id"] == image_id)
            and (protected is None or instance["protected"] == protected)
            and (status is None or instance["status"] == status)
            and (since_from is None or instance["since"] >= since_from)
            and (since_to is None or instance["since"] <= since_to)
        ]
        shown = [self._show_instance(instance) for instance in _page(found, offset)]
        return _found({"total": len(found), "instances": shown}, self._names_of_instances(shown))

    def list_volumes(
        self,
        name: Text | None = None,
        project_id: str | None = None,
        zone_id: str | None = None,
        kind: Literal["root", "data"] | None = None,
        instance_id: str | None = None,
        source_id: str | None = None,
        since_from: Date | None = None,
        since_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the volumes, oldest first, all of them or only some.

        Args:
            name (str, optional): Only volumes whose name contains this text.
            project_id (str, optional): Only volumes of this project.
            zone_id (str, optional): Only volumes of this zone.
            kind (str, optional): Only volumes with this kind.
            instance_id (str, optional): Only volumes of this instance.
            source_id (str, optional): Only volumes whose source is this snapshot.
            since_from (str, optional): Only volumes whose `since` is on this day or later.
            since_to (str, optional): Only volumes whose `since` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "volumes": records}}
        """
        if project_id is not None and project_id not in self.projects:
            return _refused(f"There is no project {project_id!r}.")
        if zone_id is not None and zone_id not in self.zones:
            return _refused(f"There is no zone {zone_id!r}.")
        if instance_id is not None and instance_id not in self.instances:
            return _refused(f"There is no instance {instance_id!r}.")
        if source_id is not None and source_id not in self.snapshots:
            return _refused(f"There is no snapshot {source_id!r}.")
        found = [
            volume
            for volume in self.volumes.values()
            if (name is None or name.casefold() in volume["name"].casefold())
            and (project_id is None or volume["project_id"] == project_id)
            and (zone_id is None or volume["zone_id"] == zone_id)
            and (kind is None or volume["kind"] == kind)
            and (instance_id is None or volume["instance_id"] == instance_id)
            and (source_id is None or volume["source_id"] == source_id)
            and (since_from is None or volume["since"] >= since_from)
            and (since_to is None or volume["since"] <= since_to)
        ]
        shown = [self._show_volume(volume) for volume in _page(found, offset)]
        return _found({"total": len(found), "volumes": shown}, self._names_of_volumes(shown))

    def list_snapshots(
        self,
        label: Text | None = None,
        volume_id: str | None = None,
        taken_at_from: Date | None = None,
        taken_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the snapshots, oldest first, all of them or only some.

        Args:
            label (str, optional): Only snapshots whose label contains this text.
            volume_id (str, optional): Only snapshots of this volume.
            taken_at_from (str, optional): Only snapshots whose `taken_at` is on this day or later.
            taken_at_to (str, optional): Only snapshots whose `taken_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "snapshots": records}}
        """
        if volume_id is not None and volume_id not in self.volumes:
            return _refused(f"There is no volume {volume_id!r}.")
        found = [
            snapshot
            for snapshot in self.snapshots.values()
            if (label is None or label.casefold() in snapshot["label"].casefold())
            and (volume_id is None or snapshot["volume_id"] == volume_id)
            and (taken_at_from is None or snapshot["taken_at"][:10] >= taken_at_from)
            and (taken_at_to is None or snapshot["taken_at"][:10] <= taken_at_to)
        ]
        shown = [{**snapshot} for snapshot in _page(found, offset)]
        return _found({"total": len(found), "snapshots": shown}, self._names_of_snapshots(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def launch_instance(
        self,
        project_id: str,
        zone_id: str,
        name: Text,
        flavor_id: str,
        image_id: str,
        gigabytes: Annotated[int, {"minimum": 1, "maximum": 500}],
        spread: Text | None = None,
        protected: bool = False,
    ) -> Result:
        """Launch a machine with a root volume in a zone.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            zone_id (str): Id of the zone, such as ZONE-00001.
            name (str): Name of the new machine and of its root volume, not in use yet.
            flavor_id (str): Id of the flavor, such as FLAVOR-00001.
            image_id (str): Id of the image, such as IMAGE-00001.
            gigabytes (int): Size of the root volume in gigabytes, at least what the image needs, from 1 to 500.
            spread (str, optional): Name of a group of which each zone runs only one machine. If left out, the
                machine belongs to no such group.
            protected (bool): Whether the machine is protected from being removed. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        flavor = self.flavors.get(flavor_id)
        if flavor is None:
            return _refused(f"There is no flavor {flavor_id!r}.")
        image = self.images.get(image_id)
        if image is None:
            return _refused(f"There is no image {image_id!r}.")
        if self._instances_by_name.get(name, {}):
            return _refused(f"There is a machine called {name}.")
        if image["status"] != "current":
            return _refused(f"{image['name']} is retired.")
        if image["project_id"] is not None and image["project_id"] != project_id:
            return _refused(f"{image['name']} belongs to {self.projects[image['project_id']]['name']}.")
        if flavor["memory"] < image["min_memory"]:
            return _refused(
                f"{image['name']} needs {image['min_memory']} GB of memory and {flavor['name']} has "
                f"{flavor['memory']}."
            )
        if gigabytes < image["min_disk"]:
            return _refused(f"{image['name']} needs a root volume of {image['min_disk']} GB.")
        if self._project_cores(project) + flavor["cores"] > project["max_cores"]:
            return _refused(
                f"{project['name']} uses {self._project_cores(project)} of {project['max_cores']} cores, so "
                "another machine must go first."
            )
        if self._project_gigabytes(project) + gigabytes > project["max_gigabytes"]:
            return _refused(
                f"{project['name']} uses {self._project_gigabytes(project)} of {project['max_gigabytes']} GB."
            )
        if self._free_cores(zone) < flavor["cores"]:
            return _refused(f"{zone['name']} has {self._free_cores(zone)} cores left.")
        twin_there = next(
            (
                o
                for o in sorted(
                    self._instances_by_project_zone_status.get((project_id, zone_id, "running"), {}).values(),
                    key=_age,
                )
                if spread is not None
                and o["spread"] == spread
            ),
            None,
        )
        if twin_there is not None:
            return _refused(f"{twin_there['name']} of the same group runs in {zone['name']} already.")
        self._journal = []
        instance: Instance = {
            "id": self._new_id("instance", "INSTANCE", self.instances),
            "name": name,
            "project_id": project_id,
            "zone_id": zone_id,
            "flavor_id": flavor_id,
            "image_id": image_id,
            "spread": spread,
            "protected": protected,
            "since": self.now[:10],
            "status": "running",
        }
        self._add("instances", instance)
        volume: Volume = {
            "id": self._new_id("volume", "VOLUME", self.volumes),
            "name": name,
            "project_id": project_id,
            "zone_id": zone_id,
            "gigabytes": gigabytes,
            "kind": "root",
            "instance_id": instance["id"],
            "since": self.now[:10],
            "source_id": None,
        }
        self._add("volumes", volume)
        if len(self._instances_by_name.get(instance["name"], {})) > 1:
            return self._take_back(f"There is already an instance with the name {instance['name']!r}.")
        if len(self._volumes_by_name.get(volume["name"], {})) > 1:
            return self._take_back(f"There is already a volume with the name {volume['name']!r}.")
        if self._breaks_rule_1(self.projects[instance["project_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(self.projects[volume["project_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.zones[instance["zone_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_v(volume):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_v_again(volume):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(volume):
            return self._take_back(RULES[4])
        for one_instance in _distinct([instance, self.instances.get(volume["instance_id"])]):
            if self._breaks_rule_6(one_instance):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(volume):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(instance):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(instance):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(instance):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: launch {name} for {project['name']} in {zone['name']} as {flavor['name']} (new: instance "
                f"{instance['id']}, volume {volume['id']})."
            ),
            "data": {"instance_id": instance["id"], "volume_id": volume["id"], **self._changes()},
        }

    def switch_instance(self, instance_id: str, on: bool | None = None, protected: bool | None = None) -> Result:
        """Switch a machine on, if its zone has the cores, or off, or set whether it is protected from being removed;
        when off it keeps its volumes and its place in the quota.

        Args:
            instance_id (str): Id of the instance, such as INSTANCE-00001.
            on (bool, optional): Whether the machine is to run, false stopping it. If left out, it stays running or
                stopped as it is.
            protected (bool, optional): Whether the machine is to be protected from being removed. If left out, its
                protection stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instance = self.instances.get(instance_id)
        if instance is None:
            return _refused(f"There is no instance {instance_id!r}.")
        if on is None and protected is None:
            return _refused("Say what is to change.")
        if on is not None and on != (instance["status"] == "stopped"):
            return _refused(f"{instance['name']} is {instance['status']} already.")
        if protected is not None and protected == instance["protected"]:
            return _refused(f"The protection of {instance['name']} is set like that already.")
        starting = on is not None and on
        if starting and self._root_of(instance) is None:
            return _refused(f"{instance['name']} has no root volume.")
        if (
            starting
            and self._free_cores(self.zones[instance["zone_id"]]) < self.flavors[instance["flavor_id"]]["cores"]
        ):
            return _refused(
                f"{self.zones[instance['zone_id']]['name']} has "
                f"{self._free_cores(self.zones[instance['zone_id']])} cores left and {instance['name']} needs "
                f"{self.flavors[instance['flavor_id']]['cores']}."
            )
        other = self._twin(instance)
        if starting and other is not None:
            return _refused(f"{other['name']} of the same group runs in {self.zones[instance['zone_id']]['name']}.")
        self._journal = []
        changed_instances: list[Any] = []
        if on is not None:
            status = "running" if starting else "stopped"
            changed_instances.append(instance)
            self._put("instances", instance, "status", status)
        self._put("instances", instance, "protected", protected if protected is not None else instance["protected"])
        for one_zone in _distinct([self.zones[one["zone_id"]] for one in changed_instances]):
            if self._breaks_rule_3(one_zone):
                return self._take_back(RULES[2])
        for one_instance in _distinct(changed_instances):
            if self._breaks_rule_10(one_instance):
                return self._take_back(RULES[9])
        done = f"switch {instance['name']}"
        if on is not None:
            done += f", running {'yes' if on else 'no'}"
        if protected is not None:
            done += f", protected {'yes' if protected else 'no'}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def resize_instance(self, instance_id: str, flavor_id: str) -> Result:
        """Give a stopped machine another flavor.

        Args:
            instance_id (str): Id of the instance, such as INSTANCE-00001.
            flavor_id (str): Id of the flavor, such as FLAVOR-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instance = self.instances.get(instance_id)
        if instance is None:
            return _refused(f"There is no instance {instance_id!r}.")
        flavor = self.flavors.get(flavor_id)
        if flavor is None:
            return _refused(f"There is no flavor {flavor_id!r}.")
        if instance["status"] != "stopped":
            return _refused(f"{instance['name']} is running, so stop it first.")
        if flavor_id == instance["flavor_id"]:
            return _refused(f"{instance['name']} is a {flavor['name']} already.")
        if flavor["memory"] < self.images[instance["image_id"]]["min_memory"]:
            return _refused(
                f"{self.images[instance['image_id']]['name']} needs "
                f"{self.images[instance['image_id']]['min_memory']} GB of memory."
            )
        if (
            self._project_cores(self.projects[instance["project_id"]])
            - self.flavors[instance["flavor_id"]]["cores"]
            + flavor["cores"] > self.projects[instance["project_id"]]["max_cores"]
        ):
            return _refused(
                f"{self.projects[instance['project_id']]['name']} uses "
                f"{self._project_cores(self.projects[instance['project_id']])} of "
                f"{self.projects[instance['project_id']]['max_cores']} cores."
            )
        self._journal = []
        self._put("instances", instance, "flavor_id", flavor_id)
        if self._breaks_rule_1(self.projects[instance["project_id"]]):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(self.zones[instance["zone_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_8(instance):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: resize {instance['name']} to {flavor['name']}.",
            "data": self._changes(),
        }

    def terminate_instance(self, instance_id: str, keep_root: bool = False) -> Result:
        """Remove a stopped machine for good; its root volume goes with it unless it is kept as a data volume.

        Args:
            instance_id (str): Id of the instance, such as INSTANCE-00001.
            keep_root (bool): Whether the root volume is kept as a loose data volume. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        instance = self.instances.get(instance_id)
        if instance is None:
            return _refused(f"There is no instance {instance_id!r}.")
        if instance["status"] != "stopped":
            return _refused(f"{instance['name']} is running, so stop it first.")
        if instance["protected"]:
            return _refused(f"{instance['name']} is protected.")
        if len(self._extras(instance)) != 0:
            return _refused(
                f"{len(self._extras(instance))} data volumes hang on {instance['name']}, so detach them first."
            )
        root = self._root_of(instance)
        if not (keep_root or root is None or self._volume_snapshots(root) == 0):
            return _refused(
                f"The root volume of {instance['name']} has {self._volume_snapshots(root)} snapshots, so keep it "
                "or delete those first."
            )
        self._journal = []
        changed_volumes: list[Any] = []
        former_instance_ids: list[Any] = []
        changed_volumes_2: list[Any] = []
        deleted_volumes: list[Any] = []
        for v in sorted(self._volumes_by_instance.get(instance_id, {}).values(), key=_age):
            changed_volumes.append(v)
            former_instance_ids.append(v["instance_id"])
            if v["id"] in self.volumes:
                self._put("volumes", v, "instance_id", None)
            changed_volumes_2.append(v)
            if v["id"] in self.volumes:
                self._put("volumes", v, "kind", "data")
            if not keep_root:
                if v["id"] in self.volumes:
                    self._remove("volumes", v)
                deleted_volumes.append(v)
        if instance["id"] in self.instances:
            self._remove("instances", instance)
        for one_volume in deleted_volumes:
            users = len(self._snapshots_by_volume.get(one_volume["id"], {}))
            if users:
                return self._take_back(
                    f"Volume {one_volume['name']} is still used by {users} "
                    f"{'snapshot' if users == 1 else 'snapshots'}."
                )
        users = len(self._volumes_by_instance.get(instance["id"], {}))
        if users:
            return self._take_back(
                f"Instance {instance['name']} is still used by {users} {'volume' if users == 1 else 'volumes'}."
            )
        if self._breaks_rule_1(self.projects[instance["project_id"]]):
            return self._take_back(RULES[0])
        for one_project in _distinct([self.projects[one["project_id"]] for one in deleted_volumes]):
            if self._breaks_rule_2(one_project):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(self.zones[instance["zone_id"]]):
            return self._take_back(RULES[2])
        for one_volume_2 in _distinct([*changed_volumes, *changed_volumes_2]):
            if one_volume_2["id"] in self.volumes and self._breaks_rule_4_v(one_volume_2):
                return self._take_back(RULES[3])
        for one_volume_2 in _distinct([*changed_volumes, *changed_volumes_2]):
            if one_volume_2["id"] in self.volumes and self._breaks_rule_4_v_again(one_volume_2):
                return self._take_back(RULES[3])
        for one_volume_2 in _distinct(
            [*changed_volumes, *self._volumes_by_instance.get(instance["id"], {}).values()]
        ):
            if one_volume_2["id"] in self.volumes and self._breaks_rule_5(one_volume_2):
                return self._take_back(RULES[4])
        for one_instance in _distinct(
            [
                *[self.instances.get(one["instance_id"]) for one in changed_volumes],
                *[self.instances.get(key) for key in former_instance_ids],
                *[self.instances.get(one["instance_id"]) for one in deleted_volumes],
            ]
        ):
            if one_instance["id"] in self.instances and self._breaks_rule_6(one_instance):
                return self._take_back(RULES[5])
        for one_volume_2 in _distinct(
            [
                *changed_volumes,
                *changed_volumes_2,
                *self._volumes_by_kind_instance.get(("root", instance["id"]), {}).values(),
            ]
        ):
            if one_volume_2["id"] in self.volumes and self._breaks_rule_7(one_volume_2):
                return self._take_back(RULES[6])
        for one_snapshot in _distinct(
            [user for one in deleted_volumes for user in self._snapshots_by_volume.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_11(one_snapshot):
                return self._take_back(RULES[10])
        for one_image in _distinct(
            [
                user
                for one in [
                    user
                    for one in deleted_volumes
                    for user in self._snapshots_by_volume.get(one["id"], {}).values()
                ]
                for user in self._images_by_source.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_12(one_image):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: terminate {instance['name']}.", "data": self._changes()}

    def create_volume(
        self,
        project_id: str,
        zone_id: str,
        name: Text,
        gigabytes: Annotated[int, {"minimum": 1, "maximum": 2000}],
        snapshot_id: str | None = None,
    ) -> Result:
        """Create an empty volume, or one from a snapshot.

        Args:
            project_id (str): Id of the project, such as PROJECT-00001.
            zone_id (str): Id of the zone, such as ZONE-00001.
            name (str): Name of the new volume, not in use yet.
            gigabytes (int): Size of the volume in gigabytes, at least that of the snapshot, from 1 to 2000.
            snapshot_id (str, optional): Snapshot of the same project that is copied onto the volume; an id such as
                SNAPSHOT-00001. If left out, the volume is empty.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        project = self.projects.get(project_id)
        if project is None:
            return _refused(f"There is no project {project_id!r}.")
        zone = self.zones.get(zone_id)
        if zone is None:
            return _refused(f"There is no zone {zone_id!r}.")
        snapshot = self.snapshots.get(snapshot_id) if snapshot_id is not None else None
        if snapshot_id is not None and snapshot is None:
            return _refused(f"There is no snapshot {snapshot_id!r}.")
        if self._volumes_by_name.get(name, {}):
            return _refused(f"There is a volume called {name}.")
        if snapshot_id is not None and self.volumes[snapshot["volume_id"]]["project_id"] != project_id:
            return _refused(
                f"{snapshot['label']} belongs to "
                f"{self.projects[self.volumes[snapshot['volume_id']]['project_id']]['name']}."
            )
        if snapshot_id is not None and gigabytes < snapshot["gigabytes"]:
            return _refused(f"{snapshot['label']} needs {snapshot['gigabytes']} GB.")
        if self._project_gigabytes(project) + gigabytes > project["max_gigabytes"]:
            return _refused(
                f"{project['name']} uses {self._project_gigabytes(project)} of {project['max_gigabytes']} GB."
            )
        self._journal = []
        volume: Volume = {
            "id": self._new_id("volume", "VOLUME", self.volumes),
            "name": name,
            "project_id": project_id,
            "zone_id": zone_id,
            "gigabytes": gigabytes,
            "kind": "data",
            "instance_id": None,
            "since": self.now[:10],
            "source_id": snapshot_id,
        }
        self._add("volumes", volume)
        if len(self._volumes_by_name.get(volume["name"], {})) > 1:
            return self._take_back(f"There is already a volume with the name {volume['name']!r}.")
        if self._breaks_rule_2(self.projects[volume["project_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_4_v(volume):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_v_again(volume):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(volume):
            return self._take_back(RULES[4])
        for one_instance in _distinct([self.instances.get(volume["instance_id"])]):
            if self._breaks_rule_6(one_instance):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(volume):
            return self._take_back(RULES[6])
        done = f"create volume {name} of {gigabytes} GB for {project['name']}"
        if snapshot is not None:
            done += f" from {snapshot['label']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: volume {volume['id']}).",
            "data": {"volume_id": volume["id"], **self._changes()},
        }

    def attach_volume(self, volume_id: str, instance_id: str) -> Result:
        """Attach a loose volume to a machine.

        Args:
            volume_id (str): Id of the volume, such as VOLUME-00001.
            instance_id (str): Id of the instance, such as INSTANCE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        volume = self.volumes.get(volume_id)
        if volume is None:
            return _refused(f"There is no volume {volume_id!r}.")
        instance = self.instances.get(instance_id)
        if instance is None:
            return _refused(f"There is no instance {instance_id!r}.")
        if volume["instance_id"] is not None:
            return _refused(
                f"{volume['name']} hangs on {self.instances[volume['instance_id']]['name']}, so detach it first."
            )
        if volume["project_id"] != instance["project_id"]:
            return _refused(
                f"{volume['name']} belongs to {self.projects[volume['project_id']]['name']}, and "
                f"{instance['name']} to {self.projects[instance['project_id']]['name']}."
            )
        if volume["zone_id"] != instance["zone_id"]:
            return _refused(
                f"{volume['name']} is in {self.zones[volume['zone_id']]['name']}, and {instance['name']} in "
                f"{self.zones[instance['zone_id']]['name']}."
            )
        if self._instance_volumes(instance) >= 4:
            return _refused(f"{instance['name']} has four volumes.")
        self._journal = []
        former_instance_id = volume["instance_id"]
        self._put("volumes", volume, "instance_id", instance_id)
        if self._breaks_rule_4_v(volume):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_v_again(volume):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(volume):
            return self._take_back(RULES[4])
        for one_instance in _distinct(
            [self.instances.get(volume["instance_id"]), self.instances.get(former_instance_id)]
        ):
            if self._breaks_rule_6(one_instance):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(volume):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: attach {volume['name']} to {instance['name']}.",
            "data": self._changes(),
        }

    def detach_volume(self, volume_id: str) -> Result:
        """Detach a data volume from its machine, which may be running.

        Args:
            volume_id (str): Id of the volume, such as VOLUME-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        volume = self.volumes.get(volume_id)
        if volume is None:
            return _refused(f"There is no volume {volume_id!r}.")
        if volume["instance_id"] is None:
            return _refused(f"{volume['name']} is loose already.")
        if volume["kind"] != "data":
            return _refused(
                f"{volume['name']} is the root volume of {self.instances[volume['instance_id']]['name']}."
            )
        self._journal = []
        former_instance_id = volume["instance_id"]
        self._put("volumes", volume, "instance_id", None)
        if self._breaks_rule_4_v(volume):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_v_again(volume):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(volume):
            return self._take_back(RULES[4])
        for one_instance in _distinct(
            [self.instances.get(volume["instance_id"]), self.instances.get(former_instance_id)]
        ):
            if self._breaks_rule_6(one_instance):
                return self._take_back(RULES[5])
        if self._breaks_rule_7(volume):
            return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: detach {volume['name']}.", "data": self._changes()}

    def delete_volume(self, volume_id: str) -> Result:
        """Delete a loose volume that has no snapshots.

        Args:
            volume_id (str): Id of the volume, such as VOLUME-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        volume = self.volumes.get(volume_id)
        if volume is None:
            return _refused(f"There is no volume {volume_id!r}.")
        if volume["instance_id"] is not None:
            return _refused(
                f"{volume['name']} hangs on {self.instances[volume['instance_id']]['name']}, so detach it first."
            )
        if self._volume_snapshots(volume) != 0:
            return _refused(
                f"{volume['name']} has {self._volume_snapshots(volume)} snapshots, so delete those first."
            )
        self._journal = []
        self._remove("volumes", volume)
        users = len(self._snapshots_by_volume.get(volume["id"], {}))
        if users:
            return self._take_back(
                f"Volume {volume['name']} is still used by {users} {'snapshot' if users == 1 else 'snapshots'}."
            )
        if self._breaks_rule_2(self.projects[volume["project_id"]]):
            return self._take_back(RULES[1])
        for one_instance in _distinct([self.instances.get(volume["instance_id"])]):
            if self._breaks_rule_6(one_instance):
                return self._take_back(RULES[5])
        for one_snapshot in _distinct(self._snapshots_by_volume.get(volume["id"], {}).values()):
            if self._breaks_rule_11(one_snapshot):
                return self._take_back(RULES[10])
        for one_image in _distinct(
            [
                user
                for one in self._snapshots_by_volume.get(volume["id"], {}).values()
                for user in self._images_by_source.get(one["id"], {}).values()
            ]
        ):
            if self._breaks_rule_12(one_image):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: delete {volume['name']}.", "data": self._changes()}

    def take_snapshot(self, volume_id: str, label: Text) -> Result:
        """Take a snapshot of a volume; a root volume only while its machine is stopped.

        Args:
            volume_id (str): Id of the volume, such as VOLUME-00001.
            label (str): Name of the new snapshot, not in use yet.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        volume = self.volumes.get(volume_id)
        if volume is None:
            return _refused(f"There is no volume {volume_id!r}.")
        if self._snapshots_by_label.get(label, {}):
            return _refused(f"There is a snapshot called {label}.")
        if (
            volume["kind"] != "data"
            and volume["instance_id"] is not None
            and self.instances[volume["instance_id"]]["status"] != "stopped"
        ):
            return _refused(
                f"{self.instances[volume['instance_id']]['name']} is running, so stop it before its root volume "
                "is copied."
            )
        if (
            self._project_gigabytes(self.projects[volume["project_id"]])
            + volume["gigabytes"] > self.projects[volume["project_id"]]["max_gigabytes"]
        ):
            return _refused(
                f"{self.projects[volume['project_id']]['name']} uses "
                f"{self._project_gigabytes(self.projects[volume['project_id']])} of "
                f"{self.projects[volume['project_id']]['max_gigabytes']} GB."
            )
        self._journal = []
        snapshot: Snapshot = {
            "id": self._new_id("snapshot", "SNAPSHOT", self.snapshots),
            "label": label,
            "volume_id": volume_id,
            "gigabytes": volume["gigabytes"],
            "taken_at": self.now,
        }
        self._add("snapshots", snapshot)
        if len(self._snapshots_by_label.get(snapshot["label"], {})) > 1:
            return self._take_back(f"There is already a snapshot with the label {snapshot['label']!r}.")
        if self._breaks_rule_2(self.projects[self.volumes[snapshot["volume_id"]]["project_id"]]):
            return self._take_back(RULES[1])
        if self._breaks_rule_11(snapshot):
            return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: take snapshot {label} of {volume['name']} (new: snapshot {snapshot['id']}).",
            "data": {"snapshot_id": snapshot["id"], **self._changes()},
        }

    def delete_snapshot(self, snapshot_id: str) -> Result:
        """Delete a snapshot from which no volume was made, with an image of it that is retired and that no machine
        uses.

        Args:
            snapshot_id (str): Id of the snapshot, such as SNAPSHOT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        snapshot = self.snapshots.get(snapshot_id)
        if snapshot is None:
            return _refused(f"There is no snapshot {snapshot_id!r}.")
        image = next(
            (
                m
                for m in sorted(self._images_by_source.get(snapshot_id, {}).values(), key=_age)
                if (m["status"] == "current" or self._image_users(m) > 0)
            ),
            None,
        )
        if image is not None:
            return _refused(f"{image['name']} was made from {snapshot['label']} and is current or in use.")
        copy = next((v for v in sorted(self._volumes_by_source.get(snapshot_id, {}).values(), key=_age)), None)
        if copy is not None:
            return _refused(f"{copy['name']} was made from {snapshot['label']}.")
        self._journal = []
        deleted_images: list[Any] = []
        for m in sorted(self._images_by_source.get(snapshot_id, {}).values(), key=_age):
            if m["id"] in self.images:
                self._remove("images", m)
            deleted_images.append(m)
        if snapshot["id"] in self.snapshots:
            self._remove("snapshots", snapshot)
        for one_image in deleted_images:
            users = len(self._instances_by_image.get(one_image["id"], {}))
            if users:
                return self._take_back(
                    f"Image {one_image['name']} is still used by {users} {'instance' if users == 1 else 'instances'}."
                )
        users = len(self._images_by_source.get(snapshot["id"], {}))
        if users:
            return self._take_back(
                f"Snapshot {snapshot['label']} is still used by {users} {'image' if users == 1 else 'images'}."
            )
        users = len(self._volumes_by_source.get(snapshot["id"], {}))
        if users:
            return self._take_back(
                f"Snapshot {snapshot['label']} is still used by {users} {'volume' if users == 1 else 'volumes'}."
            )
        if self._breaks_rule_2(self.projects[self.volumes[snapshot["volume_id"]]["project_id"]]):
            return self._take_back(RULES[1])
        for one_volume in _distinct(
            [
                user
                for one in [
                    user
                    for one in deleted_images
                    for user in self._instances_by_image.get(one["id"], {}).values()
                ]
                for user in self._volumes_by_kind_instance.get(("root", one["id"]), {}).values()
            ]
        ):
            if self._breaks_rule_7(one_volume):
                return self._take_back(RULES[6])
        for one_instance in _distinct(
            [user for one in deleted_images for user in self._instances_by_image.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_8(one_instance):
                return self._take_back(RULES[7])
        for one_instance in _distinct(
            [user for one in deleted_images for user in self._instances_by_image.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9(one_instance):
                return self._take_back(RULES[8])
        for one_image_2 in _distinct(self._images_by_source.get(snapshot["id"], {}).values()):
            if one_image_2["id"] in self.images and self._breaks_rule_12(one_image_2):
                return self._take_back(RULES[11])
        return {"success": True, "message": f"Done: delete snapshot {snapshot['label']}.", "data": self._changes()}

    def publish_image(
        self,
        snapshot_id: str,
        name: Text,
        min_memory: Annotated[int, {"minimum": 1, "maximum": 64}],
        instead_of_id: str | None = None,
    ) -> Result:
        """Publish a snapshot as an image of its project, in the place of an older image of that project if wanted.

        Args:
            snapshot_id (str): Id of the snapshot, such as SNAPSHOT-00001.
            name (str): Name of the new image, not in use yet.
            min_memory (int): Memory that a machine needs for the image, in gigabytes, from 1 to 64.
            instead_of_id (str, optional): Current image of the same project that is retired for it; an id such as
                IMAGE-00001. If left out, no older image is retired.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        snapshot = self.snapshots.get(snapshot_id)
        if snapshot is None:
            return _refused(f"There is no snapshot {snapshot_id!r}.")
        instead_of = self.images.get(instead_of_id) if instead_of_id is not None else None
        if instead_of_id is not None and instead_of is None:
            return _refused(f"There is no image {instead_of_id!r}.")
        if self._images_by_name.get(name, {}):
            return _refused(f"There is an image called {name}.")
        if self._images_by_source.get(snapshot_id, {}):
            return _refused(f"{snapshot['label']} was published already.")
        if snapshot["gigabytes"] > 500:
            return _refused(f"{snapshot['label']} is too large for an image.")
        if (
            instead_of_id is not None
            and instead_of["project_id"] != self.volumes[snapshot["volume_id"]]["project_id"]
        ):
            return _refused(
                f"{instead_of['name']} is no image of "
                f"{self.projects[self.volumes[snapshot['volume_id']]['project_id']]['name']}."
            )
        if instead_of_id is not None and instead_of["status"] != "current":
            return _refused(f"{instead_of['name']} is retired already.")
        done = f"publish {snapshot['label']} as image {name}"
        if instead_of is not None:
            done += f" instead of {instead_of['name']}"
        self._journal = []
        min_disk = snapshot["gigabytes"]
        if not 1 <= min_disk <= 500:
            return self._take_back("The min disk of an image must be between 1 and 500.")
        image: Image = {
            "id": self._new_id("image", "IMAGE", self.images),
            "name": name,
            "project_id": self.volumes[snapshot["volume_id"]]["project_id"],
            "source_id": snapshot_id,
            "min_disk": min_disk,
            "min_memory": min_memory,
            "status": "current",
        }
        self._add("images", image)
        if instead_of_id is not None:
            self._put("images", instead_of, "status", "retired")
        if len(self._images_by_name.get(image["name"], {})) > 1:
            return self._take_back(f"There is already an image with the name {image['name']!r}.")
        if self._breaks_rule_12(image):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: {done} (new: image {image['id']}).",
            "data": {"image_id": image["id"], **self._changes()},
        }

    def _show_project(self, project: Project) -> dict[str, Any]:
        """The project as an answer shows it."""
        return {**project, "cores": self._project_cores(project), "gigabytes": self._project_gigabytes(project)}

    def _show_zone(self, zone: Zone) -> dict[str, Any]:
        """The zone as an answer shows it."""
        return {**zone, "busy_cores": self._zone_busy_cores(zone)}

    def _show_image(self, image: Image) -> dict[str, Any]:
        """The image as an answer shows it."""
        return {**image, "users": self._image_users(image)}

    def _show_instance(self, instance: Instance) -> dict[str, Any]:
        """The instance as an answer shows it."""
        return {**instance, "volumes": self._instance_volumes(instance)}

    def _show_volume(self, volume: Volume) -> dict[str, Any]:
        """The volume as an answer shows it."""
        return {**volume, "snapshots": self._volume_snapshots(volume)}

    def _names_of_images(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that images point to."""
        return _names(
            (self.projects, "name", [row["project_id"] for row in shown]),
            (self.snapshots, "label", [row["source_id"] for row in shown]),
        )

    def _names_of_instances(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that instances point to."""
        return _names(
            (self.projects, "name", [row["project_id"] for row in shown]),
            (self.zones, "name", [row["zone_id"] for row in shown]),
            (self.flavors, "name", [row["flavor_id"] for row in shown]),
            (self.images, "name", [row["image_id"] for row in shown]),
        )

    def _names_of_volumes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that volumes point to."""
        return _names(
            (self.projects, "name", [row["project_id"] for row in shown]),
            (self.zones, "name", [row["zone_id"] for row in shown]),
            (self.instances, "name", [row["instance_id"] for row in shown]),
            (self.snapshots, "label", [row["source_id"] for row in shown]),
        )

    def _names_of_snapshots(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that snapshots point to."""
        return _names((self.volumes, "name", [row["volume_id"] for row in shown]))

    def _project_cores(self, project: Project) -> int:
        """The cores of a project."""
        return sum(
            self.flavors[i["flavor_id"]]["cores"]
            for i in self._instances_by_project.get(project["id"], {}).values()
        )

    def _project_gigabytes(self, project: Project) -> int:
        """The gigabytes of a project."""
        return (
            sum(v["gigabytes"] for v in self._volumes_by_project.get(project["id"], {}).values())
            + sum(
                s["gigabytes"]
                for _volume in self._volumes_by_project.get(project["id"], {}).values()
                for s in self._snapshots_by_volume.get(_volume["id"], {}).values()
            )
        )

    def _zone_busy_cores(self, zone: Zone) -> int:
        """The busy cores of a zone."""
        return sum(
            self.flavors[i["flavor_id"]]["cores"]
            for i in self._instances_by_zone_status.get((zone["id"], "running"), {}).values()
        )

    def _image_users(self, image: Image) -> int:
        """The users of an image."""
        return len(self._instances_by_image.get(image["id"], {}))

    def _instance_volumes(self, instance: Instance) -> int:
        """The volumes of an instance."""
        return len(self._volumes_by_instance.get(instance["id"], {}))

    def _volume_snapshots(self, volume: Volume) -> int:
        """The snapshots of a volume."""
        return len(self._snapshots_by_volume.get(volume["id"], {}))

    def _free_cores(self, z: Zone) -> int:
        return z["total_cores"] - self._zone_busy_cores(z)

    def _twin(self, i: Instance) -> Instance | None:
        return next(
            (
                o
                for o in sorted(
                    self._instances_by_project_zone_status.get(
                        (i["project_id"], i["zone_id"], "running"),
                        {},
                    ).values(),
                    key=_age,
                )
                if o is not i
                and i["spread"] is not None
                and o["spread"] == i["spread"]
            ),
            None,
        )

    def _root_of(self, i: Instance) -> Volume | None:
        return next(
            (v for v in sorted(self._volumes_by_kind_instance.get(("root", i["id"]), {}).values(), key=_age)),
            None,
        )

    def _extras(self, i: Instance) -> list[Volume]:
        return sorted(self._volumes_by_kind_instance.get(("data", i["id"]), {}).values(), key=_age)

    def _used(self, s: Snapshot) -> bool:
        return bool(self._images_by_source.get(s["id"], {})) or bool(self._volumes_by_source.get(s["id"], {}))

    def _cores_left(self, p: Project) -> int:
        return p["max_cores"] - self._project_cores(p)

    def _storage_left(self, p: Project) -> int:
        return p["max_gigabytes"] - self._project_gigabytes(p)

    def _breaks_rule_1(self, p: Project) -> bool:
        """Whether this is broken: a project never has more cores than its quota, whether its machines run or not."""
        return self._project_cores(p) > p["max_cores"]

    def _breaks_rule_2(self, p: Project) -> bool:
        """Whether this is broken: the volumes and snapshots of a project stay within its quota of storage."""
        return self._project_gigabytes(p) > p["max_gigabytes"]

    def _breaks_rule_3(self, z: Zone) -> bool:
        """Whether this is broken: the machines that run in a zone never need more cores than it has."""
        return self._zone_busy_cores(z) > z["total_cores"]

    def _breaks_rule_4_v(self, v: Volume) -> bool:
        """Whether this is broken: a machine has at most one root volume, and root volumes are never loose."""
        return (
            v["kind"] == "root"
            and any(
                other_v is not v
                for other_v in self._volumes_by_kind_instance.get(("root", v["instance_id"]), {}).values()
            )
        )

    def _breaks_rule_4_v_again(self, v: Volume) -> bool:
        """Whether this is broken: a machine has at most one root volume, and root volumes are never loose."""
        return v["kind"] == "root" and v["instance_id"] is None

    def _breaks_rule_5(self, v: Volume) -> bool:
        """Whether this is broken: a volume hangs on a machine of its own project and zone."""
        return (
            v["instance_id"] is not None
            and (
                self.instances[v["instance_id"]]["project_id"] != v["project_id"]
                or self.instances[v["instance_id"]]["zone_id"] != v["zone_id"]
            )
        )

    def _breaks_rule_6(self, i: Instance) -> bool:
        """Whether this is broken: no machine has more than four volumes."""
        return self._instance_volumes(i) > 4

    def _breaks_rule_7(self, v: Volume) -> bool:
        """Whether this is broken: a root volume is as large as the image of its machine demands."""
        return (
            v["kind"] == "root"
            and v["instance_id"] is not None
            and v["gigabytes"] < self.images[self.instances[v["instance_id"]]["image_id"]]["min_disk"]
        )

    def _breaks_rule_8(self, i: Instance) -> bool:
        """Whether this is broken: a machine has the memory that its image demands."""
        return self.flavors[i["flavor_id"]]["memory"] < self.images[i["image_id"]]["min_memory"]

    def _breaks_rule_9(self, i: Instance) -> bool:
        """Whether this is broken: an image of a project is used in that project only."""
        return (
            self.images[i["image_id"]]["project_id"] is not None
            and self.images[i["image_id"]]["project_id"] != i["project_id"]
        )

    def _breaks_rule_10(self, i: Instance) -> bool:
        """Whether this is broken: running machines that are to be spread never share a zone."""
        return (
            i["spread"] is not None
            and i["status"] == "running"
            and any(
                other_i is not i
                for other_i in self._instances_by_project_zone_status.get(
                    (i["project_id"], i["zone_id"], "running"),
                    {},
                ).values()
                if other_i["spread"] == i["spread"]
                and other_i["spread"] is not None
            )
        )

    def _breaks_rule_11(self, s: Snapshot) -> bool:
        """Whether this is broken: a snapshot is never larger than its volume."""
        return s["gigabytes"] > self.volumes[s["volume_id"]]["gigabytes"]

    def _breaks_rule_12(self, m: Image) -> bool:
        """Whether this is broken: an image belongs to the project of the snapshot it was made from."""
        return (
            m["source_id"] is not None
            and (
                m["project_id"] is None
                or m["project_id"] != self.volumes[self.snapshots[m["source_id"]]["volume_id"]]["project_id"]
            )
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
            case "images":
                self._images_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._images_by_source.setdefault(record["source_id"], {})[record["id"]] = record
            case "instances":
                self._instances_by_image.setdefault(record["image_id"], {})[record["id"]] = record
                self._instances_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._instances_by_project.setdefault(record["project_id"], {})[record["id"]] = record
                self._instances_by_project_status.setdefault(
                    (record["project_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._instances_by_project_zone_status.setdefault(
                    (record["project_id"], record["zone_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._instances_by_zone_status.setdefault(
                    (record["zone_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "volumes":
                self._volumes_by_instance.setdefault(record["instance_id"], {})[record["id"]] = record
                self._volumes_by_kind_instance.setdefault(
                    (record["kind"], record["instance_id"]),
                    {},
                )[record["id"]] = record
                self._volumes_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._volumes_by_project.setdefault(record["project_id"], {})[record["id"]] = record
                self._volumes_by_source.setdefault(record["source_id"], {})[record["id"]] = record
            case "snapshots":
                self._snapshots_by_label.setdefault(record["label"], {})[record["id"]] = record
                self._snapshots_by_volume.setdefault(record["volume_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "images":
                del self._images_by_name[record["name"]][record["id"]]
                del self._images_by_source[record["source_id"]][record["id"]]
            case "instances":
                del self._instances_by_image[record["image_id"]][record["id"]]
                del self._instances_by_name[record["name"]][record["id"]]
                del self._instances_by_project[record["project_id"]][record["id"]]
                del self._instances_by_project_status[record["project_id"], record["status"]][record["id"]]
                del self._instances_by_project_zone_status[
                    record["project_id"],
                    record["zone_id"],
                    record["status"],
                ][record["id"]]
                del self._instances_by_zone_status[record["zone_id"], record["status"]][record["id"]]
            case "volumes":
                del self._volumes_by_instance[record["instance_id"]][record["id"]]
                del self._volumes_by_kind_instance[record["kind"], record["instance_id"]][record["id"]]
                del self._volumes_by_name[record["name"]][record["id"]]
                del self._volumes_by_project[record["project_id"]][record["id"]]
                del self._volumes_by_source[record["source_id"]][record["id"]]
            case "snapshots":
                del self._snapshots_by_label[record["label"]][record["id"]]
                del self._snapshots_by_volume[record["volume_id"]][record["id"]]
