"""Schema registry. Compiled from blueprint.yaml; run `envscaler build schema_registry` after changing it there.

Looks after the schemas of the events that services exchange, with drafts and versions, compatibility modes,
services pinned to versions as producers or consumers, deprecation and retirement.
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
    "A subject counts its versions up and none has the number of another.",
    "A subject has one draft at a time.",
    "A version has one field of a name.",
    "A live version is compatible with the one it follows, as the mode of its subject wants.",
    "Services are pinned to live versions only.",
    "A service is pinned to a subject once as producer and once as consumer.",
    "Every consumer can read what every producer of the subject writes.",
    "Deprecated versions have a sunset, and drafts and published versions have none.",
    "A deprecated version has a published one after it.",
    "What is or was live has a day of publication.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "register_subject",
    "draft_version",
    "add_field",
    "change_field",
    "drop_field",
    "publish_version",
    "discard_draft",
    "set_mode",
    "pin_service",
    "unpin_service",
    "deprecate_version",
    "retire_version",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "teams": ("name",),
    "subjects": ("name",),
    "versions": ("tag",),
    "fields": ("name",),
    "services": ("name",),
    "pins": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("fields", "version_id"),
    ("pins", "role"),
    ("pins", "service_id"),
    ("pins", "version_id"),
    ("subjects", "name"),
    ("versions", "follows_id"),
    ("versions", "status"),
    ("versions", "subject_id"),
    ("versions", "tag"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Team(TypedDict):
    id: str
    name: str
    channel: str


class Subject(TypedDict):
    id: str
    name: str
    owner_id: str
    mode: Literal["unchecked", "backward", "forward", "full"]


class Version(TypedDict):
    id: str
    tag: str
    subject_id: str
    number: int
    follows_id: str | None
    drafted_on: str
    published_on: str | None
    sunset_on: str | None
    status: Literal["draft", "published", "discarded", "deprecated", "retired"]


class Field(TypedDict):
    id: str
    version_id: str
    name: str
    kind: Literal["text", "integer", "decimal", "boolean", "date"]
    optional: bool


class Service(TypedDict):
    id: str
    name: str
    team_id: str
    tier: Literal["core", "normal", "batch"]


class Pin(TypedDict):
    id: str
    service_id: str
    version_id: str
    role: Literal["producer", "consumer"]
    pinned_on: str


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


class SchemaRegistry:
    """Looks after the schemas of the events that services exchange, with drafts and versions,
    compatibility modes, services pinned to versions as producers or consumers, deprecation and
    retirement.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.teams: dict[str, Team] = _copied(config.get("teams", {}))
        self.subjects: dict[str, Subject] = _copied(config.get("subjects", {}))
        self.versions: dict[str, Version] = _copied(config.get("versions", {}))
        self.fields: dict[str, Field] = _copied(config.get("fields", {}))
        self.services: dict[str, Service] = _copied(config.get("services", {}))
        self.pins: dict[str, Pin] = _copied(config.get("pins", {}))
        self.now: str = config.get("now", "2026-02-11T13:30")
        self.counters: dict[str, int] = {
            "team": len(self.teams),
            "subject": len(self.subjects),
            "version": len(self.versions),
            "field": len(self.fields),
            "service": len(self.services),
            "pin": len(self.pins),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._subjects_by_lower_name: dict[Any, dict[str, Subject]] = {}
        self._subjects_by_name: dict[Any, dict[str, Subject]] = {}
        self._versions_by_follows: dict[Any, dict[str, Version]] = {}
        self._versions_by_lower_tag: dict[Any, dict[str, Version]] = {}
        self._versions_by_status: dict[Any, dict[str, Version]] = {}
        self._versions_by_subject: dict[Any, dict[str, Version]] = {}
        self._versions_by_subject_status: dict[Any, dict[str, Version]] = {}
        self._versions_by_tag: dict[Any, dict[str, Version]] = {}
        self._fields_by_version: dict[Any, dict[str, Field]] = {}
        self._pins_by_service_role: dict[Any, dict[str, Pin]] = {}
        self._pins_by_version: dict[Any, dict[str, Pin]] = {}
        self._pins_by_version_role: dict[Any, dict[str, Pin]] = {}
        for subject in self.subjects.values():
            self._link("subjects", subject)
        for version in self.versions.values():
            self._link("versions", version)
        for field in self.fields.values():
            self._link("fields", field)
        for pin in self.pins.values():
            self._link("pins", pin)

    def compare_draft(self, version_id: str) -> Result:
        """How a version differs from the one it follows and which modes it would fit.

        Args:
            version_id (str): Id of the version, such as VERSION-00001.

        Returns:
            dict: {"success": True, "data": {follows, added, dropped, fits_backward, fits_forward, fits_full}} or
                {"success": False, "error": why not}
        """
        version = self.versions.get(version_id)
        if version is None:
            return _refused(f"There is no version {version_id!r}.")
        old = self.versions.get(version["follows_id"])
        return _found(
            {
                "follows": old["tag"] if old is not None else None,
                "added": [
                    *[
                        f["name"]
                        for f in sorted(self._fields_by_version.get(version_id, {}).values(), key=_age)
                        if (old is None or not self._has(old, f["name"]))
                    ]
                ],
                "dropped": [
                    *[
                        g["name"]
                        for g in sorted(
                            self._fields_by_version.get(old["id"] if old is not None else None, {}).values(),
                            key=_age,
                        )
                        if old is not None
                        and not self._has(version, g["name"])
                    ]
                ],
                "fits_backward": old is None or self._fits(version, old, "backward"),
                "fits_forward": old is None or self._fits(version, old, "forward"),
                "fits_full": old is None or self._fits(version, old, "full"),
            }
        )

    def who_uses(
        self,
        subject_id: str,
        role: Literal["producer", "consumer"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The services pinned to any version of a subject, by role and version.

        Args:
            subject_id (str): Id of the subject, such as SUBJECT-00001.
            role (str, optional): Role in which the services use it: producer or consumer. If left out, producers
                and consumers are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pins": records}} or {"success": False, "error": why
                not}
        """
        subject = self.subjects.get(subject_id)
        if subject is None:
            return _refused(f"There is no subject {subject_id!r}.")
        found = [
            u
            for u in [
                u
                for _version in self._versions_by_subject.get(subject_id, {}).values()
                for u in self._pins_by_version.get(_version["id"], {}).values()
            ]
            if (role is None or u["role"] == role)
        ]
        found.sort(
            key=lambda u: (
                u["role"],
                self.versions[u["version_id"]]["number"],
                self.services[u["service_id"]]["name"],
                _age(u),
            )
        )
        return _found(
            {
                "total": len(found),
                "pins": [
                    {
                        "pin_id": u["id"],
                        "service": self.services[u["service_id"]]["name"],
                        "team": self.teams[self.services[u["service_id"]]["team_id"]]["name"],
                        "role": u["role"],
                        "version": self.versions[u["version_id"]]["tag"],
                        "version_status": self.versions[u["version_id"]]["status"],
                        "pinned_on": u["pinned_on"],
                    }
                    for u in _page(found, offset)
                ],
            }
        )

    def sunsets(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Deprecated versions, those with the earliest sunset first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "versions": records}} or {"success": False, "error": why
                not}
        """
        found = [v for v in self._versions_by_status.get("deprecated", {}).values()]
        found.sort(key=lambda v: (v["sunset_on"] if v["sunset_on"] is not None else self.now[:10], v["tag"], _age(v)))
        return _found(
            {
                "total": len(found),
                "versions": [
                    {
                        "id": v["id"],
                        "tag": v["tag"],
                        "subject": self.subjects[v["subject_id"]]["name"],
                        "sunset_on": v["sunset_on"],
                        "pins": self._version_pins(v),
                    }
                    for v in _page(found, offset)
                ],
            }
        )

    def mode_possible(self, subject_id: str, mode: Literal["unchecked", "backward", "forward", "full"]) -> Result:
        """Whether a subject could be put into a mode as things are.

        Args:
            subject_id (str): Id of the subject, such as SUBJECT-00001.
            mode (str): Compatibility mode to try out, full being backward and forward: unchecked, backward,
                forward or full.

        Returns:
            dict: {"success": True, "data": {possible, version_in_the_way, pin_in_the_way}} or {"success": False,
                "error": why not}
        """
        subject = self.subjects.get(subject_id)
        if subject is None:
            return _refused(f"There is no subject {subject_id!r}.")
        answer = {
            "possible": self._misfit(subject, mode) is None and self._torn(subject, mode) is None,
            "version_in_the_way": _id_of(self._misfit(subject, mode)),
            "pin_in_the_way": _id_of(self._torn(subject, mode)),
        }
        return _found(answer, _names((self.versions, "tag", [row["version_in_the_way"] for row in [answer]])))

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

    def list_subjects(
        self,
        name: Text | None = None,
        owner_id: str | None = None,
        mode: Literal["unchecked", "backward", "forward", "full"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the subjects, oldest first, all of them or only some.

        Args:
            name (str, optional): Only subjects whose name contains this text.
            owner_id (str, optional): Only subjects whose owner is this team.
            mode (str, optional): Only subjects with this mode.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "subjects": records}}
        """
        if owner_id is not None and owner_id not in self.teams:
            return _refused(f"There is no team {owner_id!r}.")
        found = [
            subject
            for subject in self.subjects.values()
            if (name is None or name.casefold() in subject["name"].casefold())
            and (owner_id is None or subject["owner_id"] == owner_id)
            and (mode is None or subject["mode"] == mode)
        ]
        shown = [self._show_subject(subject) for subject in _page(found, offset)]
        return _found({"total": len(found), "subjects": shown}, self._names_of_subjects(shown))

    def list_versions(
        self,
        tag: Text | None = None,
        subject_id: str | None = None,
        follows_id: str | None = None,
        status: Literal["draft", "published", "discarded", "deprecated", "retired"] | None = None,
        drafted_on_from: Date | None = None,
        drafted_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the versions, oldest first, all of them or only some.

        Args:
            tag (str, optional): Only versions whose tag contains this text.
            subject_id (str, optional): Only versions of this subject.
            follows_id (str, optional): Only versions whose follows is this version.
            status (str, optional): Only versions with this status.
            drafted_on_from (str, optional): Only versions whose `drafted_on` is on this day or later.
            drafted_on_to (str, optional): Only versions whose `drafted_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "versions": records}}
        """
        if subject_id is not None and subject_id not in self.subjects:
            return _refused(f"There is no subject {subject_id!r}.")
        if follows_id is not None and follows_id not in self.versions:
            return _refused(f"There is no version {follows_id!r}.")
        found = [
            version
            for version in self.versions.values()
            if (tag is None or tag.casefold() in version["tag"].casefold())
            and (subject_id is None or version["subject_id"] == subject_id)
            and (follows_id is None or version["follows_id"] == follows_id)
            and (status is None or version["status"] == status)
            and (drafted_on_from is None or version["drafted_on"] >= drafted_on_from)
            and (drafted_on_to is None or version["drafted_on"] <= drafted_on_to)
        ]
        shown = [self._show_version(version) for version in _page(found, offset)]
        return _found({"total": len(found), "versions": shown}, self._names_of_versions(shown))

    def list_fields(
        self,
        name: Text | None = None,
        version_id: str | None = None,
        kind: Literal["text", "integer", "decimal", "boolean", "date"] | None = None,
        optional: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the fields, oldest first, all of them or only some.

        Args:
            name (str, optional): Only fields whose name contains this text.
            version_id (str, optional): Only fields of this version.
            kind (str, optional): Only fields with this kind.
            optional (bool, optional): Only fields with this value of `optional`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "fields": records}}
        """
        if version_id is not None and version_id not in self.versions:
            return _refused(f"There is no version {version_id!r}.")
        found = [
            field
            for field in self.fields.values()
            if (name is None or name.casefold() in field["name"].casefold())
            and (version_id is None or field["version_id"] == version_id)
            and (kind is None or field["kind"] == kind)
            and (optional is None or field["optional"] == optional)
        ]
        shown = [{**field} for field in _page(found, offset)]
        return _found({"total": len(found), "fields": shown}, self._names_of_fields(shown))

    def list_services(
        self,
        name: Text | None = None,
        team_id: str | None = None,
        tier: Literal["core", "normal", "batch"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the services, oldest first, all of them or only some.

        Args:
            name (str, optional): Only services whose name contains this text.
            team_id (str, optional): Only services of this team.
            tier (str, optional): Only services with this tier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "services": records}}
        """
        if team_id is not None and team_id not in self.teams:
            return _refused(f"There is no team {team_id!r}.")
        found = [
            service
            for service in self.services.values()
            if (name is None or name.casefold() in service["name"].casefold())
            and (team_id is None or service["team_id"] == team_id)
            and (tier is None or service["tier"] == tier)
        ]
        shown = [{**service} for service in _page(found, offset)]
        return _found({"total": len(found), "services": shown}, self._names_of_services(shown))

    def list_pins(
        self,
        service_id: str | None = None,
        version_id: str | None = None,
        role: Literal["producer", "consumer"] | None = None,
        pinned_on_from: Date | None = None,
        pinned_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pins, oldest first, all of them or only some.

        Args:
            service_id (str, optional): Only pins of this service.
            version_id (str, optional): Only pins of this version.
            role (str, optional): Only pins with this role.
            pinned_on_from (str, optional): Only pins whose `pinned_on` is on this day or later.
            pinned_on_to (str, optional): Only pins whose `pinned_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pins": records}}
        """
        if service_id is not None and service_id not in self.services:
            return _refused(f"There is no service {service_id!r}.")
        if version_id is not None and version_id not in self.versions:
            return _refused(f"There is no version {version_id!r}.")
        found = [
            pin
            for pin in self.pins.values()
            if (service_id is None or pin["service_id"] == service_id)
            and (version_id is None or pin["version_id"] == version_id)
            and (role is None or pin["role"] == role)
            and (pinned_on_from is None or pin["pinned_on"] >= pinned_on_from)
            and (pinned_on_to is None or pin["pinned_on"] <= pinned_on_to)
        ]
        shown = [{**pin} for pin in _page(found, offset)]
        return _found({"total": len(found), "pins": shown}, self._names_of_pins(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def register_subject(
        self,
        name: Text,
        owner_id: str,
        mode: Literal["unchecked", "backward", "forward", "full"] = "backward",
    ) -> Result:
        """Register a subject for a new kind of event, which has no version yet.

        Args:
            name (str): Name of the new subject, not in use yet.
            owner_id (str): Team that owns the subject; an id such as TEAM-00001.
            mode (str): How far a version must fit the one before, full being backward and forward: unchecked,
                backward, forward or full. Default: backward.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        owner = self.teams.get(owner_id)
        if owner is None:
            return _refused(f"There is no team {owner_id!r}.")
        if self._subjects_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a subject {name} already.")
        self._journal = []
        subject: Subject = {
            "id": self._new_id("subject", "SUBJECT", self.subjects),
            "name": name,
            "owner_id": owner_id,
            "mode": mode,
        }
        self._add("subjects", subject)
        if len(self._subjects_by_name.get(subject["name"], {})) > 1:
            return self._take_back(f"There is already a subject with the name {subject['name']!r}.")
        return {
            "success": True,
            "message": f"Done: register {name} for {owner['name']} (new: subject {subject['id']}).",
            "data": {"subject_id": subject["id"], **self._changes()},
        }

    def draft_version(self, subject_id: str, tag: Text) -> Result:
        """Begin the next version of a subject as a draft with the fields of the newest published one.

        Args:
            subject_id (str): Id of the subject, such as SUBJECT-00001.
            tag (str): Tag of the new version, not used before in any subject.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        subject = self.subjects.get(subject_id)
        if subject is None:
            return _refused(f"There is no subject {subject_id!r}.")
        if self._versions_by_lower_tag.get(tag.lower(), {}):
            return _refused(f"There is a version {tag} already.")
        open_one = next(
            (v for v in sorted(self._versions_by_subject_status.get((subject_id, "draft"), {}).values(), key=_age)),
            None,
        )
        if open_one is not None:
            return _refused(f"{subject['name']} has the draft {open_one['tag']}, so publish or discard it first.")
        self._journal = []
        added_fields: list[Any] = []
        base = self._newest_of(subject)
        number = (
            (
                max((v["number"] for v in self._versions_by_subject.get(subject_id, {}).values()), default=None)
                if max(
                    (v["number"] for v in self._versions_by_subject.get(subject_id, {}).values()),
                    default=None,
                ) is not None
                else 0
            )
            + 1
        )
        if not 1 <= number <= 999:
            return self._take_back("The number of a version must be between 1 and 999.")
        version: Version = {
            "id": self._new_id("version", "VERSION", self.versions),
            "tag": tag,
            "subject_id": subject_id,
            "number": number,
            "follows_id": base["id"] if base is not None else None,
            "drafted_on": self.now[:10],
            "published_on": None,
            "sunset_on": None,
            "status": "draft",
        }
        self._add("versions", version)
        for f in [
            f
            for f in sorted(
                self._fields_by_version.get(base["id"] if base is not None else None, {}).values(),
                key=_age,
            )
            if base is not None
        ]:
            field = {
                "id": self._new_id("field", "FIELD", self.fields),
                "version_id": version["id"],
                "name": f["name"],
                "kind": f["kind"],
                "optional": f["optional"],
            }
            self._add("fields", field)
            added_fields.append(field)
        if len(self._versions_by_tag.get(version["tag"], {})) > 1:
            return self._take_back(f"There is already a version with the tag {version['tag']!r}.")
        if self._breaks_rule_1_v(version):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_v_again(version):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(version):
            return self._take_back(RULES[1])
        for one_field in _distinct(added_fields):
            if self._breaks_rule_3(one_field):
                return self._take_back(RULES[2])
        for one_version in _distinct(
            [
                version,
                *[self.versions[one["version_id"]] for one in added_fields],
                *[
                    user
                    for one in [self.versions[one["version_id"]] for one in added_fields]
                    for user in self._versions_by_follows.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_version):
                return self._take_back(RULES[3])
        for one_pin in _distinct(
            [
                user
                for one in [self.versions[one["version_id"]] for one in added_fields]
                for user in self._pins_by_version_role.get((one["id"], "consumer"), {}).values()
            ]
        ):
            if self._breaks_rule_7_c(one_pin):
                return self._take_back(RULES[6])
        for one_pin in _distinct(
            [
                user
                for one in [self.versions[one["version_id"]] for one in added_fields]
                for user in self._pins_by_version_role.get((one["id"], "producer"), {}).values()
            ]
        ):
            if self._breaks_rule_7_p(one_pin):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(version):
            return self._take_back(RULES[7])
        for one_version in _distinct(
            [version, *self._versions_by_subject_status.get((version["subject_id"], "deprecated"), {}).values()]
        ):
            if self._breaks_rule_9(one_version):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(version):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: begin the draft {tag} of {subject['name']} (new: version {version['id']}).",
            "data": {"version_id": version["id"], **self._changes()},
        }

    def add_field(
        self,
        version_id: str,
        name: Text,
        kind: Literal["text", "integer", "decimal", "boolean", "date"],
        optional: bool = False,
    ) -> Result:
        """Add a field to a draft.

        Args:
            version_id (str): Id of the version, such as VERSION-00001.
            name (str): Name of the new field, not in the draft yet.
            kind (str): Kind of value that the field holds: text, integer, decimal, boolean or date.
            optional (bool): Whether an event may lack the field. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        version = self.versions.get(version_id)
        if version is None:
            return _refused(f"There is no version {version_id!r}.")
        if version["status"] != "draft":
            return _refused(f"{version['tag']} is {version['status']}, so begin a draft for changes.")
        if self._has(version, name):
            return _refused(f"{version['tag']} has a field {name} already.")
        self._journal = []
        field: Field = {
            "id": self._new_id("field", "FIELD", self.fields),
            "version_id": version_id,
            "name": name,
            "kind": kind,
            "optional": optional,
        }
        self._add("fields", field)
        if self._breaks_rule_3(field):
            return self._take_back(RULES[2])
        for one_version in _distinct(
            [self.versions[field["version_id"]], *self._versions_by_follows.get(field["version_id"], {}).values()]
        ):
            if self._breaks_rule_4(one_version):
                return self._take_back(RULES[3])
        for one_pin in _distinct(self._pins_by_version_role.get((field["version_id"], "consumer"), {}).values()):
            if self._breaks_rule_7_c(one_pin):
                return self._take_back(RULES[6])
        for one_pin in _distinct(self._pins_by_version_role.get((field["version_id"], "producer"), {}).values()):
            if self._breaks_rule_7_p(one_pin):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: add the field {name} to {version['tag']} (new: field {field['id']}).",
            "data": {"field_id": field["id"], **self._changes()},
        }

    def change_field(
        self,
        field_id: str,
        kind: Literal["text", "integer", "decimal", "boolean", "date"] | None = None,
        optional: bool | None = None,
    ) -> Result:
        """Change the kind of a field in a draft, or whether it is optional, or both.

        Args:
            field_id (str): Id of the field, such as FIELD-00001.
            kind (str, optional): New kind of value that the field holds: text, integer, decimal, boolean or date.
                If left out, the kind stays as it is.
            optional (bool, optional): Whether an event may lack the field. If left out, it stays optional or
                required as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        field = self.fields.get(field_id)
        if field is None:
            return _refused(f"There is no field {field_id!r}.")
        if self.versions[field["version_id"]]["status"] != "draft":
            return _refused(
                f"{self.versions[field['version_id']]['tag']} is {self.versions[field['version_id']]['status']}, "
                "so begin a draft for changes."
            )
        if not (kind is not None and kind != field["kind"] or optional is not None and optional != field["optional"]):
            return _refused(f"{field['name']} is like that already.")
        self._journal = []
        changed_fields: list[Any] = []
        changed_fields_2: list[Any] = []
        if kind is not None:
            changed_fields.append(field)
            self._put("fields", field, "kind", kind)
        if optional is not None:
            changed_fields_2.append(field)
            self._put("fields", field, "optional", optional)
        for one_version in _distinct(
            [
                *[
                    user
                    for one in [self.versions[one["version_id"]] for one in changed_fields]
                    for user in self._versions_by_follows.get(one["id"], {}).values()
                ],
                *[self.versions[one["version_id"]] for one in changed_fields],
                *[self.versions[one["version_id"]] for one in changed_fields_2],
                *[
                    user
                    for one in [self.versions[one["version_id"]] for one in changed_fields_2]
                    for user in self._versions_by_follows.get(one["id"], {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_version):
                return self._take_back(RULES[3])
        for one_pin in _distinct(
            [
                *[
                    user
                    for one in [self.versions[one["version_id"]] for one in changed_fields]
                    for user in self._pins_by_version_role.get((one["id"], "consumer"), {}).values()
                ],
                *[
                    user
                    for one in [self.versions[one["version_id"]] for one in changed_fields_2]
                    for user in self._pins_by_version_role.get((one["id"], "consumer"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_7_c(one_pin):
                return self._take_back(RULES[6])
        for one_pin in _distinct(
            [
                user
                for one in [self.versions[one["version_id"]] for one in changed_fields]
                for user in self._pins_by_version_role.get((one["id"], "producer"), {}).values()
            ]
        ):
            if self._breaks_rule_7_p(one_pin):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: change the field {field['name']} of {self.versions[field['version_id']]['tag']}.",
            "data": self._changes(),
        }

    def drop_field(self, field_id: str) -> Result:
        """Drop a field from a draft.

        Args:
            field_id (str): Id of the field, such as FIELD-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        field = self.fields.get(field_id)
        if field is None:
            return _refused(f"There is no field {field_id!r}.")
        if self.versions[field["version_id"]]["status"] != "draft":
            return _refused(
                f"{self.versions[field['version_id']]['tag']} is {self.versions[field['version_id']]['status']}, "
                "so begin a draft for changes."
            )
        self._journal = []
        self._remove("fields", field)
        for one_version in _distinct(
            [self.versions[field["version_id"]], *self._versions_by_follows.get(field["version_id"], {}).values()]
        ):
            if self._breaks_rule_4(one_version):
                return self._take_back(RULES[3])
        for one_pin in _distinct(self._pins_by_version_role.get((field["version_id"], "consumer"), {}).values()):
            if self._breaks_rule_7_c(one_pin):
                return self._take_back(RULES[6])
        for one_pin in _distinct(self._pins_by_version_role.get((field["version_id"], "producer"), {}).values()):
            if self._breaks_rule_7_p(one_pin):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: drop the field {field['name']} from {self.versions[field['version_id']]['tag']}.",
            "data": self._changes(),
        }

    def publish_version(self, version_id: str) -> Result:
        """Publish a draft that is compatible with the version it follows.

        Args:
            version_id (str): Id of the version, such as VERSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        version = self.versions.get(version_id)
        if version is None:
            return _refused(f"There is no version {version_id!r}.")
        if version["status"] != "draft":
            return _refused(f"{version['tag']} is {version['status']}.")
        if not self._fields_by_version.get(version_id, {}):
            return _refused(f"{version['tag']} has no field.")
        old = self.versions.get(version["follows_id"])
        mode = self.subjects[version["subject_id"]]["mode"]
        if not (old is None or not self._live(old) or mode == "unchecked" or self._same_kinds(version, old)):
            return _refused(f"A field has another kind than in the version before, which {mode} does not allow.")
        hard = next(
            (
                f
                for f in sorted(self._fields_by_version.get(version_id, {}).values(), key=_age)
                if old is not None
                and self._live(old)
                and not f["optional"]
                and not self._has(old, f["name"])
            ),
            None,
        )
        if mode in ("backward", "full") and hard is not None:
            return _refused(f"{hard['name']} is new and must be optional in mode {mode}.")
        lost = next(
            (
                g
                for g in sorted(
                    self._fields_by_version.get(old["id"] if old is not None else None, {}).values(),
                    key=_age,
                )
                if old is not None
                and self._live(old)
                and not g["optional"]
                and not self._has(version, g["name"])
            ),
            None,
        )
        if mode in ("forward", "full") and lost is not None:
            return _refused(
                f"{lost['name']} is not optional in {self.versions[lost['version_id']]['tag']} and cannot go in "
                f"mode {mode}; make it optional in a version of its own first."
            )
        self._journal = []
        self._put("versions", version, "published_on", self.now[:10])
        self._put("versions", version, "status", "published")
        if self._breaks_rule_2(version):
            return self._take_back(RULES[1])
        for one_version in _distinct([version, *self._versions_by_follows.get(version["id"], {}).values()]):
            if self._breaks_rule_4(one_version):
                return self._take_back(RULES[3])
        for one_pin in _distinct(self._pins_by_version.get(version["id"], {}).values()):
            if self._breaks_rule_5(one_pin):
                return self._take_back(RULES[4])
        if self._breaks_rule_8(version):
            return self._take_back(RULES[7])
        for one_version in _distinct(
            [version, *self._versions_by_subject_status.get((version["subject_id"], "deprecated"), {}).values()]
        ):
            if self._breaks_rule_9(one_version):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(version):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: publish {version['tag']}.", "data": self._changes()}

    def discard_draft(self, version_id: str) -> Result:
        """Discard a draft.

        Args:
            version_id (str): Id of the version, such as VERSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        version = self.versions.get(version_id)
        if version is None:
            return _refused(f"There is no version {version_id!r}.")
        if version["status"] != "draft":
            return _refused(f"{version['tag']} is {version['status']}.")
        self._journal = []
        deleted_fields: list[Any] = []
        for f in sorted(self._fields_by_version.get(version_id, {}).values(), key=_age):
            if f["id"] in self.fields:
                self._remove("fields", f)
            deleted_fields.append(f)
        self._put("versions", version, "status", "discarded")
        if self._breaks_rule_2(version):
            return self._take_back(RULES[1])
        for one_version in _distinct(
            [
                version,
                *[self.versions[one["version_id"]] for one in deleted_fields],
                *[
                    user
                    for one in [self.versions[one["version_id"]] for one in deleted_fields]
                    for user in self._versions_by_follows.get(one["id"], {}).values()
                ],
                *self._versions_by_follows.get(version["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_4(one_version):
                return self._take_back(RULES[3])
        for one_pin in _distinct(self._pins_by_version.get(version["id"], {}).values()):
            if self._breaks_rule_5(one_pin):
                return self._take_back(RULES[4])
        for one_pin in _distinct(
            [
                user
                for one in [self.versions[one["version_id"]] for one in deleted_fields]
                for user in self._pins_by_version_role.get((one["id"], "consumer"), {}).values()
            ]
        ):
            if self._breaks_rule_7_c(one_pin):
                return self._take_back(RULES[6])
        for one_pin in _distinct(
            [
                user
                for one in [self.versions[one["version_id"]] for one in deleted_fields]
                for user in self._pins_by_version_role.get((one["id"], "producer"), {}).values()
            ]
        ):
            if self._breaks_rule_7_p(one_pin):
                return self._take_back(RULES[6])
        if self._breaks_rule_8(version):
            return self._take_back(RULES[7])
        for one_version in _distinct(
            [version, *self._versions_by_subject_status.get((version["subject_id"], "deprecated"), {}).values()]
        ):
            if self._breaks_rule_9(one_version):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(version):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: discard the draft {version['tag']}.", "data": self._changes()}

    def set_mode(self, subject_id: str, mode: Literal["unchecked", "backward", "forward", "full"]) -> Result:
        """Change the compatibility mode of a subject; its live versions and all pins must fit the new mode.

        Args:
            subject_id (str): Id of the subject, such as SUBJECT-00001.
            mode (str): New compatibility mode, full being backward and forward: unchecked, backward, forward or
                full.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        subject = self.subjects.get(subject_id)
        if subject is None:
            return _refused(f"There is no subject {subject_id!r}.")
        if mode == subject["mode"]:
            return _refused(f"{subject['name']} is in mode {mode} already.")
        odd = self._misfit(subject, mode)
        if odd is not None:
            return _refused(f"{odd['tag']} and the version before it do not fit mode {mode}.")
        pin = self._torn(subject, mode)
        if pin is not None:
            return _refused(
                f"In mode {mode} {self.services[pin['service_id']]['name']} could not read everything from "
                f"{self.versions[pin['version_id']]['tag']}, so move it first."
            )
        self._journal = []
        self._put("subjects", subject, "mode", mode)
        for one_version in _distinct(self._versions_by_subject.get(subject["id"], {}).values()):
            if self._breaks_rule_4(one_version):
                return self._take_back(RULES[3])
        for one_pin in _distinct(
            [
                user
                for one in self._versions_by_subject.get(subject["id"], {}).values()
                for user in self._pins_by_version_role.get((one["id"], "consumer"), {}).values()
            ]
        ):
            if self._breaks_rule_7_c(one_pin):
                return self._take_back(RULES[6])
        return {"success": True, "message": f"Done: put {subject['name']} into mode {mode}.", "data": self._changes()}

    def pin_service(self, service_id: str, version_id: str, role: Literal["producer", "consumer"]) -> Result:
        """Pin a service to a live version as producer or consumer; a pin to another version of the subject in that
        role moves.

        Args:
            service_id (str): Id of the service, such as SERVICE-00001.
            version_id (str): Id of the version, such as VERSION-00001.
            role (str): Whether the service writes events (producer) or reads them (consumer): producer or
                consumer.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        service = self.services.get(service_id)
        if service is None:
            return _refused(f"There is no service {service_id!r}.")
        version = self.versions.get(version_id)
        if version is None:
            return _refused(f"There is no version {version_id!r}.")
        if not self._live(version):
            return _refused(f"{version['tag']} is {version['status']}.")
        if version["status"] != "published":
            return _refused(f"{version['tag']} is deprecated and takes no new pins.")
        old = next(
            (
                u
                for u in sorted(self._pins_by_service_role.get((service_id, role), {}).values(), key=_age)
                if self.versions[u["version_id"]]["subject_id"] == version["subject_id"]
            ),
            None,
        )
        if old is not None and old["version_id"] == version_id:
            return _refused(f"{service['name']} is pinned to {version['tag']} as {role} already.")
        other = self._blocker(version, role)
        if other is not None:
            return _refused(
                f"In mode {self.subjects[version['subject_id']]['mode']} a {role} at {version['tag']} does not go "
                f"with {self.services[other['service_id']]['name']}, a {other['role']} at "
                f"{self.versions[other['version_id']]['tag']}, so that has to move first."
            )
        self._journal = []
        added_pins: list[Any] = []
        changed_pins: list[Any] = []
        if old is None:
            pin = {
                "id": self._new_id("pin", "PIN", self.pins),
                "service_id": service_id,
                "version_id": version_id,
                "role": role,
                "pinned_on": self.now[:10],
            }
            self._add("pins", pin)
            added_pins.append(pin)
        else:
            changed_pins.append(old)
            self._put("pins", old, "version_id", version_id)
            self._put("pins", old, "pinned_on", self.now[:10])
        for one_pin in _distinct([*added_pins, *changed_pins]):
            if self._breaks_rule_5(one_pin):
                return self._take_back(RULES[4])
        for one_pin in _distinct([*added_pins, *changed_pins]):
            if self._breaks_rule_6(one_pin):
                return self._take_back(RULES[5])
        for one_pin in _distinct([*added_pins, *changed_pins]):
            if self._breaks_rule_7_c(one_pin):
                return self._take_back(RULES[6])
        for one_pin in _distinct([*added_pins, *changed_pins]):
            if self._breaks_rule_7_p(one_pin):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: pin {service['name']} to {version['tag']} as {role}.",
            "data": self._changes(),
        }

    def unpin_service(self, pin_id: str) -> Result:
        """Take a pin away.

        Args:
            pin_id (str): Id of the pin, such as PIN-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        pin = self.pins.get(pin_id)
        if pin is None:
            return _refused(f"There is no pin {pin_id!r}.")
        self._journal = []
        self._remove("pins", pin)
        return {
            "success": True,
            "message": (
                f"Done: unpin {self.services[pin['service_id']]['name']} from "
                f"{self.versions[pin['version_id']]['tag']}."
            ),
            "data": self._changes(),
        }

    def deprecate_version(self, version_id: str, sunset_on: Date | None = None) -> Result:
        """Deprecate a version until a sunset, change that day, or take the deprecation back where no day is given.

        Args:
            version_id (str): Id of the version, such as VERSION-00001.
            sunset_on (str, optional): Day of the sunset, after today, as YYYY-MM-DD. If left out, the deprecation
                is taken back.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        version = self.versions.get(version_id)
        if version is None:
            return _refused(f"There is no version {version_id!r}.")
        if not self._live(version):
            return _refused(f"{version['tag']} is {version['status']}.")
        if sunset_on == version["sunset_on"]:
            return _refused("That is so already.")
        if sunset_on is not None and sunset_on <= self.now[:10]:
            return _refused(f"{sunset_on} is not ahead.")
        if not (
            sunset_on is None
            or any(
                w["status"] == "published"
                and w["number"] > version["number"]
                for w in self._versions_by_subject.get(version["subject_id"], {}).values()
            )
        ):
            return _refused(
                f"{version['tag']} is the newest of {self.subjects[version['subject_id']]['name']}, so publish "
                "its successor first."
            )
        self._journal = []
        changed_versions: list[Any] = []
        self._put("versions", version, "sunset_on", sunset_on)
        if sunset_on is None:
            if version["status"] not in ("draft", "published", "deprecated"):
                return self._take_back(f"Version {version['tag']} cannot go from {version['status']} to published.")
            changed_versions.append(version)
            self._put("versions", version, "status", "published")
        else:
            if version["status"] == "published":
                if version["status"] not in ("published", "deprecated"):
                    return self._take_back(
                        f"Version {version['tag']} cannot go from {version['status']} to deprecated."
                    )
                changed_versions.append(version)
                self._put("versions", version, "status", "deprecated")
        for one_version in _distinct(changed_versions):
            if self._breaks_rule_2(one_version):
                return self._take_back(RULES[1])
        for one_version in _distinct(
            [
                *changed_versions,
                *[user for one in changed_versions for user in self._versions_by_follows.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_4(one_version):
                return self._take_back(RULES[3])
        for one_pin in _distinct(
            [user for one in changed_versions for user in self._pins_by_version.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_5(one_pin):
                return self._take_back(RULES[4])
        for one_version in _distinct([version, *changed_versions]):
            if self._breaks_rule_8(one_version):
                return self._take_back(RULES[7])
        for one_version in _distinct(
            [
                *changed_versions,
                *[
                    user
                    for one in [self.subjects[one["subject_id"]] for one in changed_versions]
                    for user in self._versions_by_subject_status.get((one["id"], "deprecated"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_9(one_version):
                return self._take_back(RULES[8])
        for one_version in _distinct(changed_versions):
            if self._breaks_rule_10(one_version):
                return self._take_back(RULES[9])
        done = f"change the deprecation of {version['tag']}"
        if sunset_on is not None:
            done += f" to {sunset_on}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def retire_version(self, version_id: str) -> Result:
        """Retire a deprecated version whose sunset has come and to which nobody is pinned.

        Args:
            version_id (str): Id of the version, such as VERSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        version = self.versions.get(version_id)
        if version is None:
            return _refused(f"There is no version {version_id!r}.")
        if version["status"] != "deprecated" or version["sunset_on"] is None:
            return _refused(f"{version['tag']} is {version['status']}.")
        if version["sunset_on"] > self.now[:10]:
            return _refused(f"The sunset of {version['tag']} is on {version['sunset_on']}.")
        if self._version_pins(version) != 0:
            return _refused(
                f"{self._version_pins(version)} services are pinned to {version['tag']}, so move them first."
            )
        self._journal = []
        self._put("versions", version, "status", "retired")
        if self._breaks_rule_2(version):
            return self._take_back(RULES[1])
        for one_version in _distinct([version, *self._versions_by_follows.get(version["id"], {}).values()]):
            if self._breaks_rule_4(one_version):
                return self._take_back(RULES[3])
        for one_pin in _distinct(self._pins_by_version.get(version["id"], {}).values()):
            if self._breaks_rule_5(one_pin):
                return self._take_back(RULES[4])
        if self._breaks_rule_8(version):
            return self._take_back(RULES[7])
        for one_version in _distinct(
            [version, *self._versions_by_subject_status.get((version["subject_id"], "deprecated"), {}).values()]
        ):
            if self._breaks_rule_9(one_version):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(version):
            return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: retire {version['tag']}.", "data": self._changes()}

    def _show_subject(self, subject: Subject) -> dict[str, Any]:
        """The subject as an answer shows it."""
        return {**subject, "newest_id": _id_of(self._subject_newest(subject))}

    def _show_version(self, version: Version) -> dict[str, Any]:
        """The version as an answer shows it."""
        return {**version, "pins": self._version_pins(version)}

    def _names_of_subjects(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that subjects point to."""
        return _names(
            (self.teams, "name", [row["owner_id"] for row in shown]),
            (self.versions, "tag", [row["newest_id"] for row in shown]),
        )

    def _names_of_versions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that versions point to."""
        return _names(
            (self.subjects, "name", [row["subject_id"] for row in shown]),
            (self.versions, "tag", [row["follows_id"] for row in shown]),
        )

    def _names_of_fields(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that fields point to."""
        return _names((self.versions, "tag", [row["version_id"] for row in shown]))

    def _names_of_services(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that services point to."""
        return _names((self.teams, "name", [row["team_id"] for row in shown]))

    def _names_of_pins(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that pins point to."""
        return _names(
            (self.services, "name", [row["service_id"] for row in shown]),
            (self.versions, "tag", [row["version_id"] for row in shown]),
        )

    def _subject_newest(self, subject: Subject) -> Version | None:
        """The newest of a subject."""
        return self._newest_of(subject)

    def _version_pins(self, version: Version) -> int:
        """The pins of a version."""
        return len(self._pins_by_version.get(version["id"], {}))

    def _newest_of(self, s: Subject) -> Version | None:
        return min(
            self._versions_by_subject_status.get((s["id"], "published"), {}).values(),
            key=lambda v: (-v["number"], _age(v)),
            default=None,
        )

    def _live(self, v: Version) -> bool:
        return v["status"] in ("published", "deprecated")

    def _has(self, v: Version, what: str) -> bool:
        return any(f["name"] == what for f in self._fields_by_version.get(v["id"], {}).values())

    def _same_kinds(self, n: Version, o: Version) -> bool:
        return all(
            g["kind"] == f["kind"]
            for f in self._fields_by_version.get(n["id"], {}).values()
            for g in self._fields_by_version.get(o["id"], {}).values()
            if g["name"] == f["name"]
        )

    def _adds_softly(self, n: Version, o: Version) -> bool:
        return all(
            f["optional"]
            or self._has(o, f["name"])
            for f in self._fields_by_version.get(n["id"], {}).values()
        )

    def _drops_softly(self, n: Version, o: Version) -> bool:
        return all(
            g["optional"]
            or self._has(n, g["name"])
            for g in self._fields_by_version.get(o["id"], {}).values()
        )

    def _fits(self, n: Version, o: Version, m: str) -> bool:
        return (
            m == "unchecked"
            or self._same_kinds(n, o) and (m == "forward" or self._adds_softly(n, o)) and (
                m == "backward"
                or self._drops_softly(n, o)
            )
        )

    def _reads(self, c: Version, p: Version, m: str) -> bool:
        return (
            c is p
            or c["number"] > p["number"] and m in (
                "backward",
                "full",
            ) and self._same_kinds(c, p) and self._adds_softly(c, p)
            or c["number"] < p["number"] and m in (
                "forward",
                "full",
            ) and self._same_kinds(p, c) and self._drops_softly(p, c)
        )

    def _misfit(self, s: Subject, m: str) -> Version | None:
        return next(
            (
                v
                for v in sorted(self._versions_by_subject.get(s["id"], {}).values(), key=_age)
                if self._live(v)
                and v["follows_id"] is not None
                and self._live(self.versions[v["follows_id"]])
                and not self._fits(v, self.versions[v["follows_id"]], m)
            ),
            None,
        )

    def _torn(self, s: Subject, m: str) -> Pin | None:
        return next(
            (
                c
                for c in sorted(
                    [
                        c
                        for _version in self._versions_by_subject.get(s["id"], {}).values()
                        for c in self._pins_by_version_role.get((_version["id"], "consumer"), {}).values()
                    ],
                    key=_age,
                )
                if any(
                    not self._reads(self.versions[c["version_id"]], self.versions[p["version_id"]], m)
                    for _version in self._versions_by_subject.get(s["id"], {}).values()
                    for p in self._pins_by_version_role.get((_version["id"], "producer"), {}).values()
                )
            ),
            None,
        )

    def _blocker(self, v: Version, r: str) -> Pin | None:
        return next(
            (
                u
                for u in sorted(
                    [
                        u
                        for _version in self._versions_by_subject.get(v["subject_id"], {}).values()
                        for u in self._pins_by_version.get(_version["id"], {}).values()
                    ],
                    key=_age,
                )
                if u["role"] != r
                and not (
                    self._reads(v, self.versions[u["version_id"]], self.subjects[v["subject_id"]]["mode"])
                    if r == "consumer"
                    else self._reads(self.versions[u["version_id"]], v, self.subjects[v["subject_id"]]["mode"])
                )
            ),
            None,
        )

    def _breaks_rule_1_v(self, v: Version) -> bool:
        """Whether this is broken: a subject counts its versions up and none has the number of another."""
        return any(
            other_v is not v
            for other_v in self._versions_by_subject.get(v["subject_id"], {}).values()
            if other_v["number"] == v["number"]
        )

    def _breaks_rule_1_v_again(self, v: Version) -> bool:
        """Whether this is broken: a subject counts its versions up and none has the number of another."""
        return not (
            v["follows_id"] is None
            or self.versions[v["follows_id"]]["subject_id"] == v["subject_id"]
            and self.versions[v["follows_id"]]["number"] < v["number"]
        )

    def _breaks_rule_2(self, v: Version) -> bool:
        """Whether this is broken: a subject has one draft at a time."""
        return (
            v["status"] == "draft"
            and any(
                other_v is not v
                for other_v in self._versions_by_subject_status.get((v["subject_id"], "draft"), {}).values()
            )
        )

    def _breaks_rule_3(self, f: Field) -> bool:
        """Whether this is broken: a version has one field of a name."""
        return any(
            other_f is not f
            for other_f in self._fields_by_version.get(f["version_id"], {}).values()
            if other_f["name"] == f["name"]
        )

    def _breaks_rule_4(self, v: Version) -> bool:
        """Whether this is broken: a live version is compatible with the one it follows, as the mode of its subject
        wants.
        """
        return (
            self._live(v)
            and not (
                v["follows_id"] is None
                or not self._live(self.versions[v["follows_id"]])
                or self._fits(v, self.versions[v["follows_id"]], self.subjects[v["subject_id"]]["mode"])
            )
        )

    def _breaks_rule_5(self, u: Pin) -> bool:
        """Whether this is broken: services are pinned to live versions only."""
        return not self._live(self.versions[u["version_id"]])

    def _breaks_rule_6(self, u: Pin) -> bool:
        """Whether this is broken: a service is pinned to a subject once as producer and once as consumer."""
        return any(
            other_u is not u
            for other_u in self._pins_by_service_role.get((u["service_id"], u["role"]), {}).values()
            if self.versions[other_u["version_id"]]["subject_id"] == self.versions[u["version_id"]]["subject_id"]
        )

    def _breaks_rule_7_c(self, c: Pin) -> bool:
        """Whether this is broken: every consumer can read what every producer of the subject writes."""
        return (
            c["role"] == "consumer"
            and any(
                not self._reads(
                    self.versions[c["version_id"]],
                    self.versions[p["version_id"]],
                    self.subjects[self.versions[c["version_id"]]["subject_id"]]["mode"],
                )
                for _version in self._versions_by_subject.get(
                    self.versions[c["version_id"]]["subject_id"],
                    {},
                ).values()
                for p in self._pins_by_version_role.get((_version["id"], "producer"), {}).values()
            )
        )

    def _breaks_rule_7_p(self, p: Pin) -> bool:
        """Whether this is broken: every consumer can read what every producer of the subject writes."""
        return (
            p["role"] == "producer"
            and any(
                not self._reads(
                    self.versions[c["version_id"]],
                    self.versions[p["version_id"]],
                    self.subjects[self.versions[c["version_id"]]["subject_id"]]["mode"],
                )
                for _version in self._versions_by_subject.get(
                    self.versions[p["version_id"]]["subject_id"],
                    {},
                ).values()
                for c in self._pins_by_version_role.get((_version["id"], "consumer"), {}).values()
            )
        )

    def _breaks_rule_8(self, v: Version) -> bool:
        """Whether this is broken: deprecated versions have a sunset, and drafts and published versions have none."""
        return (v["sunset_on"] is not None) != (v["status"] in ("deprecated", "retired"))

    def _breaks_rule_9(self, v: Version) -> bool:
        """Whether this is broken: a deprecated version has a published one after it."""
        return (
            v["status"] == "deprecated"
            and not any(
                w["status"] == "published"
                and w["number"] > v["number"]
                for w in self._versions_by_subject.get(v["subject_id"], {}).values()
            )
        )

    def _breaks_rule_10(self, v: Version) -> bool:
        """Whether this is broken: what is or was live has a day of publication."""
        return (v["published_on"] is not None) != (v["status"] in ("published", "deprecated", "retired"))

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
            case "subjects":
                self._subjects_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._subjects_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "versions":
                self._versions_by_follows.setdefault(record["follows_id"], {})[record["id"]] = record
                self._versions_by_lower_tag.setdefault(record["tag"].lower(), {})[record["id"]] = record
                self._versions_by_status.setdefault(record["status"], {})[record["id"]] = record
                self._versions_by_subject.setdefault(record["subject_id"], {})[record["id"]] = record
                self._versions_by_subject_status.setdefault(
                    (record["subject_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._versions_by_tag.setdefault(record["tag"], {})[record["id"]] = record
            case "fields":
                self._fields_by_version.setdefault(record["version_id"], {})[record["id"]] = record
            case "pins":
                self._pins_by_service_role.setdefault((record["service_id"], record["role"]), {})[record["id"]] = record
                self._pins_by_version.setdefault(record["version_id"], {})[record["id"]] = record
                self._pins_by_version_role.setdefault((record["version_id"], record["role"]), {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "subjects":
                del self._subjects_by_lower_name[record["name"].lower()][record["id"]]
                del self._subjects_by_name[record["name"]][record["id"]]
            case "versions":
                del self._versions_by_follows[record["follows_id"]][record["id"]]
                del self._versions_by_lower_tag[record["tag"].lower()][record["id"]]
                del self._versions_by_status[record["status"]][record["id"]]
                del self._versions_by_subject[record["subject_id"]][record["id"]]
                del self._versions_by_subject_status[record["subject_id"], record["status"]][record["id"]]
                del self._versions_by_tag[record["tag"]][record["id"]]
            case "fields":
                del self._fields_by_version[record["version_id"]][record["id"]]
            case "pins":
                del self._pins_by_service_role[record["service_id"], record["role"]][record["id"]]
                del self._pins_by_version[record["version_id"]][record["id"]]
                del self._pins_by_version_role[record["version_id"], record["role"]][record["id"]]
