"""Secrets vault. Compiled from blueprint.yaml; run `envscaler build secrets_vault` after changing it there.

Keeps the passwords, keys and certificates of a company in a tree of folders - with policies that are inherited
along the path, versions and rotation, leases for some hours and the release of guarded secrets by two people.
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
    "A secret has one current version at most, and its versions are numbered.",
    "A member holds one running lease of a secret at a time.",
    "A secret is never leased more often at a time than it may be.",
    "Nobody holds a lease of a version that was destroyed.",
    "Whoever holds a running lease may read in that folder.",
    "A lease ends after it begins, 72 hours later at most.",
    "Somebody who left has no policy, no running lease and nothing to be released.",
    "Two different people release a secret, neither of them the one who wants it.",
    "A guarded secret is leased only on a release for that member, and a release serves once.",
    "A member has one policy on a folder.",
    "Only people administer folders.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "set_policy",
    "drop_policy",
    "add_secret",
    "rotate_secret",
    "destroy_version",
    "ask_release",
    "decide_release",
    "take_lease",
    "renew_lease",
    "return_lease",
    "offboard_member",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "folders": ("path",),
    "members": ("name",),
    "policies": (),
    "secrets": ("name",),
    "versions": (),
    "releases": (),
    "leases": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("folders", "parent_id"),
    ("leases", "holder_id"),
    ("leases", "release_id"),
    ("leases", "status"),
    ("leases", "version_id"),
    ("policies", "access"),
    ("policies", "folder_id"),
    ("policies", "member_id"),
    ("releases", "member_id"),
    ("releases", "secret_id"),
    ("secrets", "folder_id"),
    ("secrets", "name"),
    ("versions", "secret_id"),
    ("versions", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Folder(TypedDict):
    id: str
    path: str
    parent_id: str | None
    guarded: bool


class Member(TypedDict):
    id: str
    name: str
    kind: Literal["person", "service"]
    left: bool


class Policy(TypedDict):
    id: str
    folder_id: str
    member_id: str
    access: Literal["deny", "read", "write", "admin"]


class Secret(TypedDict):
    id: str
    name: str
    folder_id: str
    rotate_every: int
    most_leases: int


class Version(TypedDict):
    id: str
    secret_id: str
    number: int
    made_on: str
    made_by_id: str
    status: Literal["current", "previous", "destroyed"]


class Release(TypedDict):
    id: str
    secret_id: str
    member_id: str
    reason: str
    first_by_id: str | None
    second_by_id: str | None
    released_at: str | None
    status: Literal["asked", "released", "refused", "used"]


class Lease(TypedDict):
    id: str
    version_id: str
    holder_id: str
    release_id: str | None
    taken_at: str
    ends_at: str
    status: Literal["running", "returned", "revoked"]


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


def _days_between(start: str, end: str) -> int:
    """How many days lie from start to end."""
    return date.fromisoformat(end).toordinal() - date.fromisoformat(start).toordinal()


def _plus_minutes(moment: str, minutes: int) -> str:
    """The moment so many minutes later; the calendar ends where Python's does."""
    total = date.fromisoformat(moment[:10]).toordinal() * 1440 + _clock_minutes(moment[11:]) + minutes
    days, rest = divmod(min(max(total, 1440), date.max.toordinal() * 1440 + 1439), 1440)
    return f"{date.fromordinal(days).isoformat()}T{rest // 60:02d}:{rest % 60:02d}"


def _minutes_between(start: str, end: str) -> int:
    """How many minutes lie from start to end."""
    return _days_between(start[:10], end[:10]) * 1440 + _clock_minutes(end[11:]) - _clock_minutes(start[11:])


def _clock_minutes(time: str) -> int:
    """Minutes since midnight."""
    return int(time[:2]) * 60 + int(time[3:5])


def _above(records: dict[str, Any], start: Any, field: str) -> list[Any]:
    """The records one comes to by following a reference again and again, nearest first."""
    found: dict[str, Any] = {}
    ahead = [start]
    while ahead:
        record = ahead.pop(0)
        goal = record[field]
        for key in goal if isinstance(goal, list) else [goal]:
            if key is not None and key not in found:
                found[key] = records[key]
                ahead.append(records[key])
    return list(found.values())


def _below(users: dict[Any, dict[str, Any]], start: Any) -> list[Any]:
    """The records from which one comes to this one by following a reference, nearest first.

    `users` has the records that refer to an id.
    """
    found: dict[str, Any] = {}
    ahead = [start["id"]]
    while ahead:
        key = ahead.pop(0)
        for record in sorted(users.get(key, {}).values(), key=_age):
            if record["id"] not in found:
                found[record["id"]] = record
                ahead.append(record["id"])
    return list(found.values())


class SecretsVault:
    """Keeps the passwords, keys and certificates of a company in a tree of folders - with policies that
    are inherited along the path, versions and rotation, leases for some hours and the release of
    guarded secrets by two people.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.folders: dict[str, Folder] = _copied(config.get("folders", {}))
        self.members: dict[str, Member] = _copied(config.get("members", {}))
        self.policies: dict[str, Policy] = _copied(config.get("policies", {}))
        self.secrets: dict[str, Secret] = _copied(config.get("secrets", {}))
        self.versions: dict[str, Version] = _copied(config.get("versions", {}))
        self.releases: dict[str, Release] = _copied(config.get("releases", {}))
        self.leases: dict[str, Lease] = _copied(config.get("leases", {}))
        self.now: str = config.get("now", "2026-04-14T11:15")
        self.counters: dict[str, int] = {
            "folder": len(self.folders),
            "member": len(self.members),
            "policy": len(self.policies),
            "secret": len(self.secrets),
            "version": len(self.versions),
            "release": len(self.releases),
            "lease": len(self.leases),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._folders_by_parent: dict[Any, dict[str, Folder]] = {}
        self._policies_by_folder_access: dict[Any, dict[str, Policy]] = {}
        self._policies_by_folder_member: dict[Any, dict[str, Policy]] = {}
        self._policies_by_member: dict[Any, dict[str, Policy]] = {}
        self._policies_by_member_access: dict[Any, dict[str, Policy]] = {}
        self._secrets_by_folder: dict[Any, dict[str, Secret]] = {}
        self._secrets_by_lower_name: dict[Any, dict[str, Secret]] = {}
        self._secrets_by_name: dict[Any, dict[str, Secret]] = {}
        self._versions_by_secret: dict[Any, dict[str, Version]] = {}
        self._versions_by_secret_status: dict[Any, dict[str, Version]] = {}
        self._releases_by_member: dict[Any, dict[str, Release]] = {}
        self._releases_by_secret_member: dict[Any, dict[str, Release]] = {}
        self._leases_by_holder_status: dict[Any, dict[str, Lease]] = {}
        self._leases_by_release: dict[Any, dict[str, Lease]] = {}
        self._leases_by_version_status: dict[Any, dict[str, Lease]] = {}
        for folder in self.folders.values():
            self._link("folders", folder)
        for policy in self.policies.values():
            self._link("policies", policy)
        for secret in self.secrets.values():
            self._link("secrets", secret)
        for version in self.versions.values():
            self._link("versions", version)
        for release in self.releases.values():
            self._link("releases", release)
        for lease in self.leases.values():
            self._link("leases", lease)

    def who_may(
        self,
        folder_id: str,
        least: Annotated[int, {"minimum": 1, "maximum": 3}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """The members who may do something in a folder, by its own policies or those of the folders above.

        Args:
            folder_id (str): Id of the folder, such as FOLDER-00001.
            least (int, optional): Lowest level of access wanted, 1 for read, 2 for write, 3 for admin, from 1 to
                3. If left out, everybody who may read is listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}} or {"success": False, "error": why
                not}
        """
        folder = self.folders.get(folder_id)
        if folder is None:
            return _refused(f"There is no folder {folder_id!r}.")
        found = [m for m in self.members.values() if self._level(m, folder) >= (least if least is not None else 1)]
        found.sort(key=lambda m: (-self._level(m, folder), m["name"], _age(m)))
        return _found(
            {
                "total": len(found),
                "members": [
                    {
                        "id": m["id"],
                        "name": m["name"],
                        "kind": m["kind"],
                        "level": self._level(m, folder),
                        "guarded": self._guarded(folder),
                    }
                    for m in _page(found, offset)
                ],
            }
        )

    def rotation_due(
        self,
        until: Date,
        folder_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Secrets that should be rotated by a day, the most urgent first, in a folder and those below it where one is
        named.

        Args:
            until (str): Day by which the listed secrets should be rotated, as YYYY-MM-DD.
            folder_id (str, optional): Folder to look at with those below it; an id such as FOLDER-00001. If left
                out, the secrets of all folders are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "secrets": records}} or {"success": False, "error": why
                not}
        """
        folder = self.folders.get(folder_id) if folder_id is not None else None
        if folder_id is not None and folder is None:
            return _refused(f"There is no folder {folder_id!r}.")
        found = [
            s
            for s in self.secrets.values()
            if (self._secret_rotate_by(s) is None or self._secret_rotate_by(s) <= until)
            and (
                folder_id is None
                or s["folder_id"] == folder_id
                or folder in _above(self.folders, self.folders[s["folder_id"]], "parent_id")
            )
        ]
        found.sort(
            key=lambda s: (
                self._secret_rotate_by(s) if self._secret_rotate_by(s) is not None else until,
                s["name"],
                _age(s),
            )
        )
        return _found(
            {
                "total": len(found),
                "secrets": [
                    {
                        "id": s["id"],
                        "name": s["name"],
                        "folder": self.folders[s["folder_id"]]["path"],
                        "rotate_by": self._secret_rotate_by(s),
                        "running": self._secret_running(s),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def readable_by(self, member_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The secrets that a member may read, folder by folder.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "secrets": records}} or {"success": False, "error": why
                not}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        found = [s for s in self.secrets.values() if self._level(member, self.folders[s["folder_id"]]) >= 1]
        found.sort(key=lambda s: (self.folders[s["folder_id"]]["path"], s["name"], _age(s)))
        return _found(
            {
                "total": len(found),
                "secrets": [
                    {
                        "id": s["id"],
                        "name": s["name"],
                        "folder": self.folders[s["folder_id"]]["path"],
                        "level": self._level(member, self.folders[s["folder_id"]]),
                        "guarded": self._guarded(self.folders[s["folder_id"]]),
                    }
                    for s in _page(found, offset)
                ],
            }
        )

    def list_folders(
        self,
        path: Text | None = None,
        parent_id: str | None = None,
        guarded: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the folders, oldest first, all of them or only some.

        Args:
            path (str, optional): Only folders whose path contains this text.
            parent_id (str, optional): Only folders whose parent is this folder.
            guarded (bool, optional): Only folders that are guarded (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "folders": records}}
        """
        if parent_id is not None and parent_id not in self.folders:
            return _refused(f"There is no folder {parent_id!r}.")
        found = [
            folder
            for folder in self.folders.values()
            if (path is None or path.casefold() in folder["path"].casefold())
            and (parent_id is None or folder["parent_id"] == parent_id)
            and (guarded is None or folder["guarded"] == guarded)
        ]
        shown = [{**folder} for folder in _page(found, offset)]
        return _found({"total": len(found), "folders": shown}, self._names_of_folders(shown))

    def list_members(
        self,
        name: Text | None = None,
        kind: Literal["person", "service"] | None = None,
        left: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the members, oldest first, all of them or only some.

        Args:
            name (str, optional): Only members whose name contains this text.
            kind (str, optional): Only members with this kind.
            left (bool, optional): Only members with this value of `left`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "members": records}}
        """
        found = [
            member
            for member in self.members.values()
            if (name is None or name.casefold() in member["name"].casefold())
            and (kind is None or member["kind"] == kind)
            and (left is None or member["left"] == left)
        ]
        return _found({"total": len(found), "members": [{**member} for member in _page(found, offset)]})

    def list_policies(
        self,
        folder_id: str | None = None,
        member_id: str | None = None,
        access: Literal["deny", "read", "write", "admin"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the policies, oldest first, all of them or only some.

        Args:
            folder_id (str, optional): Only policies of this folder.
            member_id (str, optional): Only policies of this member.
            access (str, optional): Only policies with this access.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "policies": records}}
        """
        if folder_id is not None and folder_id not in self.folders:
            return _refused(f"There is no folder {folder_id!r}.")
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        found = [
            policy
            for policy in self.policies.values()
            if (folder_id is None or policy["folder_id"] == folder_id)
            and (member_id is None or policy["member_id"] == member_id)
            and (access is None or policy["access"] == access)
        ]
        shown = [{**policy} for policy in _page(found, offset)]
        return _found({"total": len(found), "policies": shown}, self._names_of_policies(shown))

    def list_secrets(
        self,
        name: Text | None = None,
        folder_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the secrets, oldest first, all of them or only some.

        Args:
            name (str, optional): Only secrets whose name contains this text.
            folder_id (str, optional): Only secrets of this folder.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "secrets": records}}
        """
        if folder_id is not None and folder_id not in self.folders:
            return _refused(f"There is no folder {folder_id!r}.")
        found = [
            secret
            for secret in self.secrets.values()
            if (name is None or name.casefold() in secret["name"].casefold())
            and (folder_id is None or secret["folder_id"] == folder_id)
        ]
        shown = [self._show_secret(secret) for secret in _page(found, offset)]
        return _found({"total": len(found), "secrets": shown}, self._names_of_secrets(shown))

    def list_versions(
        self,
        secret_id: str | None = None,
        made_by_id: str | None = None,
        status: Literal["current", "previous", "destroyed"] | None = None,
        made_on_from: Date | None = None,
        made_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the versions, oldest first, all of them or only some.

        Args:
            secret_id (str, optional): Only versions of this secret.
            made_by_id (str, optional): Only versions made by this member.
            status (str, optional): Only versions with this status.
            made_on_from (str, optional): Only versions whose `made_on` is on this day or later.
            made_on_to (str, optional): Only versions whose `made_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "versions": records}}
        """
        if secret_id is not None and secret_id not in self.secrets:
            return _refused(f"There is no secret {secret_id!r}.")
        if made_by_id is not None and made_by_id not in self.members:
            return _refused(f"There is no member {made_by_id!r}.")
        found = [
            version
            for version in self.versions.values()
            if (secret_id is None or version["secret_id"] == secret_id)
            and (made_by_id is None or version["made_by_id"] == made_by_id)
            and (status is None or version["status"] == status)
            and (made_on_from is None or version["made_on"] >= made_on_from)
            and (made_on_to is None or version["made_on"] <= made_on_to)
        ]
        shown = [{**version} for version in _page(found, offset)]
        return _found({"total": len(found), "versions": shown}, self._names_of_versions(shown))

    def list_releases(
        self,
        secret_id: str | None = None,
        member_id: str | None = None,
        first_by_id: str | None = None,
        second_by_id: str | None = None,
        status: Literal["asked", "released", "refused", "used"] | None = None,
        released_at_from: Date | None = None,
        released_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the releases, oldest first, all of them or only some.

        Args:
            secret_id (str, optional): Only releases of this secret.
            member_id (str, optional): Only releases of this member.
            first_by_id (str, optional): Only releases first by this member.
            second_by_id (str, optional): Only releases second by this member.
            status (str, optional): Only releases with this status.
            released_at_from (str, optional): Only releases whose `released_at` is on this day or later.
            released_at_to (str, optional): Only releases whose `released_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "releases": records}}
        """
        if secret_id is not None and secret_id not in self.secrets:
            return _refused(f"There is no secret {secret_id!r}.")
        if member_id is not None and member_id not in self.members:
            return _refused(f"There is no member {member_id!r}.")
        if first_by_id is not None and first_by_id not in self.members:
            return _refused(f"There is no member {first_by_id!r}.")
        if second_by_id is not None and second_by_id not in self.members:
            return _refused(f"There is no member {second_by_id!r}.")
        found = [
            release
            for release in self.releases.values()
            if (secret_id is None or release["secret_id"] == secret_id)
            and (member_id is None or release["member_id"] == member_id)
            and (first_by_id is None or release["first_by_id"] == first_by_id)
            and (second_by_id is None or release["second_by_id"] == second_by_id)
            and (status is None or release["status"] == status)
            and (
                released_at_from is None
                or (release["released_at"] is not None and release["released_at"][:10] >= released_at_from)
            )
            and (
                released_at_to is None
                or (release["released_at"] is not None and release["released_at"][:10] <= released_at_to)
            )
        ]
        shown = [{**release} for release in _page(found, offset)]
        return _found({"total": len(found), "releases": shown}, self._names_of_releases(shown))

    def list_leases(
        self,
        version_id: str | None = None,
        holder_id: str | None = None,
        release_id: str | None = None,
        status: Literal["running", "returned", "revoked"] | None = None,
        taken_at_from: Date | None = None,
        taken_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the leases, oldest first, all of them or only some.

        Args:
            version_id (str, optional): Only leases of this version.
            holder_id (str, optional): Only leases whose holder is this member.
            release_id (str, optional): Only leases of this release.
            status (str, optional): Only leases with this status.
            taken_at_from (str, optional): Only leases whose `taken_at` is on this day or later.
            taken_at_to (str, optional): Only leases whose `taken_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "leases": records}}
        """
        if version_id is not None and version_id not in self.versions:
            return _refused(f"There is no version {version_id!r}.")
        if holder_id is not None and holder_id not in self.members:
            return _refused(f"There is no member {holder_id!r}.")
        if release_id is not None and release_id not in self.releases:
            return _refused(f"There is no release {release_id!r}.")
        found = [
            lease
            for lease in self.leases.values()
            if (version_id is None or lease["version_id"] == version_id)
            and (holder_id is None or lease["holder_id"] == holder_id)
            and (release_id is None or lease["release_id"] == release_id)
            and (status is None or lease["status"] == status)
            and (taken_at_from is None or lease["taken_at"][:10] >= taken_at_from)
            and (taken_at_to is None or lease["taken_at"][:10] <= taken_at_to)
        ]
        shown = [self._show_lease(lease) for lease in _page(found, offset)]
        return _found({"total": len(found), "leases": shown}, self._names_of_leases(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def set_policy(
        self,
        folder_id: str,
        member_id: str,
        access: Literal["deny", "read", "write", "admin"],
        by_id: str,
    ) -> Result:
        """Set what a member may do in a folder and in those below it that say nothing else.

        Args:
            folder_id (str): Id of the folder, such as FOLDER-00001.
            member_id (str): Id of the member, such as MEMBER-00001.
            access (str): What the member may do, admin including write and write including read: deny, read, write
                or admin.
            by_id (str): Member who sets it, an admin of the folder and not the one concerned; an id such as
                MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        folder = self.folders.get(folder_id)
        if folder is None:
            return _refused(f"There is no folder {folder_id!r}.")
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        by = self.members.get(by_id)
        if by is None:
            return _refused(f"There is no member {by_id!r}.")
        if member["left"]:
            return _refused(f"{member['name']} has left.")
        if self._level(by, folder) != 3:
            return _refused(f"{by['name']} does not administer {folder['path']}.")
        if by is member:
            return _refused("Nobody sets their own policy.")
        if access == "admin" and member["kind"] != "person":
            return _refused(f"{member['name']} is a service and administers nothing.")
        old = next(
            (p for p in sorted(self._policies_by_folder_member.get((folder_id, member_id), {}).values(), key=_age)),
            None,
        )
        if old is not None and old["access"] == access:
            return _refused(f"{member['name']} has {access} on {folder['path']} already.")
        lease = self._held(member, folder) if access == "deny" else None
        if lease is not None:
            return _refused(
                f"{member['name']} still holds "
                f"{self.secrets[self.versions[lease['version_id']]['secret_id']]['name']}, so return that first."
            )
        self._journal = []
        changed_policies: list[Any] = []
        added_policies: list[Any] = []
        if old is not None:
            changed_policies.append(old)
            self._put("policies", old, "access", access)
        else:
            policy = {
                "id": self._new_id("policy", "POLICY", self.policies),
                "folder_id": folder_id,
                "member_id": member_id,
                "access": access,
            }
            self._add("policies", policy)
            added_policies.append(policy)
        for one_lease in _distinct(
            [
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in [self.folders[one["folder_id"]] for one in changed_policies]
                            for user in self._secrets_by_folder.get(one["id"], {}).values()
                        ]
                        for user in self._versions_by_secret.get(one["id"], {}).values()
                    ]
                    for user in self._leases_by_version_status.get((one["id"], "running"), {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in [
                                user
                                for one in [self.folders[one["folder_id"]] for one in changed_policies]
                                for user in _below(self._folders_by_parent, one)
                            ]
                            for user in self._secrets_by_folder.get(one["id"], {}).values()
                        ]
                        for user in self._versions_by_secret.get(one["id"], {}).values()
                    ]
                    for user in self._leases_by_version_status.get((one["id"], "running"), {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in [self.folders[one["folder_id"]] for one in added_policies]
                            for user in self._secrets_by_folder.get(one["id"], {}).values()
                        ]
                        for user in self._versions_by_secret.get(one["id"], {}).values()
                    ]
                    for user in self._leases_by_version_status.get((one["id"], "running"), {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in [
                                user
                                for one in [self.folders[one["folder_id"]] for one in added_policies]
                                for user in _below(self._folders_by_parent, one)
                            ]
                            for user in self._secrets_by_folder.get(one["id"], {}).values()
                        ]
                        for user in self._versions_by_secret.get(one["id"], {}).values()
                    ]
                    for user in self._leases_by_version_status.get((one["id"], "running"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_lease):
                return self._take_back(RULES[4])
        for one_policy in _distinct(added_policies):
            if self._breaks_rule_7_p(one_policy):
                return self._take_back(RULES[6])
        for one_policy in _distinct(added_policies):
            if self._breaks_rule_10(one_policy):
                return self._take_back(RULES[9])
        for one_policy in _distinct([*changed_policies, *added_policies]):
            if self._breaks_rule_11(one_policy):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": f"Done: set {access} for {member['name']} on {folder['path']} as {by['name']}.",
            "data": self._changes(),
        }

    def drop_policy(self, policy_id: str, by_id: str) -> Result:
        """Drop a policy, so that what a folder above says counts again.

        Args:
            policy_id (str): Id of the policy, such as POLICY-00001.
            by_id (str): Member who drops it, an admin of the folder and not the one concerned; an id such as
                MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        policy = self.policies.get(policy_id)
        if policy is None:
            return _refused(f"There is no policy {policy_id!r}.")
        by = self.members.get(by_id)
        if by is None:
            return _refused(f"There is no member {by_id!r}.")
        if self._level(by, self.folders[policy["folder_id"]]) != 3:
            return _refused(f"{by['name']} does not administer {self.folders[policy['folder_id']]['path']}.")
        if by_id == policy["member_id"]:
            return _refused("Nobody drops their own policy.")
        lease = self._held(self.members[policy["member_id"]], self.folders[policy["folder_id"]])
        if lease is not None and policy["access"] != "deny":
            return _refused(
                f"{self.members[policy['member_id']]['name']} still holds leases below "
                f"{self.folders[policy['folder_id']]['path']}, return those first."
            )
        self._journal = []
        self._remove("policies", policy)
        for one_lease in _distinct(
            [
                *[
                    user
                    for one in [
                        user
                        for one in self._secrets_by_folder.get(policy["folder_id"], {}).values()
                        for user in self._versions_by_secret.get(one["id"], {}).values()
                    ]
                    for user in self._leases_by_version_status.get((one["id"], "running"), {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in _below(self._folders_by_parent, self.folders[policy["folder_id"]])
                            for user in self._secrets_by_folder.get(one["id"], {}).values()
                        ]
                        for user in self._versions_by_secret.get(one["id"], {}).values()
                    ]
                    for user in self._leases_by_version_status.get((one["id"], "running"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_lease):
                return self._take_back(RULES[4])
        return {
            "success": True,
            "message": (
                f"Done: drop the policy of {self.members[policy['member_id']]['name']} on "
                f"{self.folders[policy['folder_id']]['path']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def add_secret(
        self,
        name: Text,
        folder_id: str,
        by_id: str,
        rotate_every: Annotated[int, {"minimum": 7, "maximum": 400}],
        most_leases: Annotated[int, {"minimum": 1, "maximum": 6}],
    ) -> Result:
        """Put a new secret into a folder, with its first version.

        Args:
            name (str): Name of the new secret, not in use yet.
            folder_id (str): Id of the folder, such as FOLDER-00001.
            by_id (str): Member who puts it there, with write access to the folder; an id such as MEMBER-00001.
            rotate_every (int): Days after which the secret should be rotated, from 7 to 400.
            most_leases (int): Most leases that may run at the same time, from 1 to 6.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        folder = self.folders.get(folder_id)
        if folder is None:
            return _refused(f"There is no folder {folder_id!r}.")
        by = self.members.get(by_id)
        if by is None:
            return _refused(f"There is no member {by_id!r}.")
        if self._level(by, folder) < 2:
            return _refused(f"{by['name']} may not write in {folder['path']}.")
        if self._secrets_by_lower_name.get(name.lower(), {}):
            return _refused(f"There is a secret {name} already.")
        self._journal = []
        secret: Secret = {
            "id": self._new_id("secret", "SECRET", self.secrets),
            "name": name,
            "folder_id": folder_id,
            "rotate_every": rotate_every,
            "most_leases": most_leases,
        }
        self._add("secrets", secret)
        version: Version = {
            "id": self._new_id("version", "VERSION", self.versions),
            "secret_id": secret["id"],
            "number": 1,
            "made_on": self.now[:10],
            "made_by_id": by_id,
            "status": "current",
        }
        self._add("versions", version)
        if len(self._secrets_by_name.get(secret["name"], {})) > 1:
            return self._take_back(f"There is already a secret with the name {secret['name']!r}.")
        if self._breaks_rule_1_v(version):
            return self._take_back(RULES[0])
        if self._breaks_rule_1_v_again(version):
            return self._take_back(RULES[0])
        if self._breaks_rule_3(secret):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": (
                f"Done: put the secret {name} into {folder['path']} as {by['name']} (new: secret {secret['id']}, "
                f"version {version['id']})."
            ),
            "data": {"secret_id": secret["id"], "version_id": version["id"], **self._changes()},
        }

    def rotate_secret(self, secret_id: str, by_id: str, leaked: bool = False) -> Result:
        """Give a secret a new version; after a leak the old one is destroyed and its leases are revoked, else they
        run on.

        Args:
            secret_id (str): Id of the secret, such as SECRET-00001.
            by_id (str): Member who rotates it, with write access to the folder; an id such as MEMBER-00001.
            leaked (bool): Whether the old version leaked and must be destroyed. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        secret = self.secrets.get(secret_id)
        if secret is None:
            return _refused(f"There is no secret {secret_id!r}.")
        by = self.members.get(by_id)
        if by is None:
            return _refused(f"There is no member {by_id!r}.")
        if self._level(by, self.folders[secret["folder_id"]]) < 2:
            return _refused(f"{by['name']} may not write in {self.folders[secret['folder_id']]['path']}.")
        if self._secret_versions(secret) >= 99:
            return _refused(f"{secret['name']} has 99 versions.")
        old = self._current_of(secret)
        if not (old is None or old["made_on"] < self.now[:10] or leaked):
            return _refused(f"{secret['name']} was rotated today already.")
        self._journal = []
        changed_leases: list[Any] = []
        changed_versions: list[Any] = []
        number = self._secret_versions(secret) + 1
        if old is not None:
            if leaked:
                for l in sorted(self._leases_by_version_status.get((old["id"], "running"), {}).values(), key=_age):
                    if l["status"] not in ("running", "revoked"):
                        return self._take_back(f"Lease {l['id']} cannot go from {l['status']} to revoked.")
                    changed_leases.append(l)
                    self._put("leases", l, "status", "revoked")
                changed_versions.append(old)
                self._put("versions", old, "status", "destroyed")
            else:
                if old["status"] not in ("current", "previous"):
                    return self._take_back(f"Version {old['id']} cannot go from {old['status']} to previous.")
                changed_versions.append(old)
                self._put("versions", old, "status", "previous")
        if not 1 <= number <= 99:
            return self._take_back("The number of a version must be between 1 and 99.")
        version: Version = {
            "id": self._new_id("version", "VERSION", self.versions),
            "secret_id": secret_id,
            "number": number,
            "made_on": self.now[:10],
            "made_by_id": by_id,
            "status": "current",
        }
        self._add("versions", version)
        for one_version in _distinct([version, *changed_versions]):
            if self._breaks_rule_1_v(one_version):
                return self._take_back(RULES[0])
        if self._breaks_rule_1_v_again(version):
            return self._take_back(RULES[0])
        for one_lease in _distinct(changed_leases):
            if self._breaks_rule_2(one_lease):
                return self._take_back(RULES[1])
        for one_secret in _distinct(
            [self.secrets[one["secret_id"]] for one in [self.versions[one["version_id"]] for one in changed_leases]]
        ):
            if self._breaks_rule_3(one_secret):
                return self._take_back(RULES[2])
        for one_lease in _distinct(
            [
                *changed_leases,
                *[
                    user
                    for one in changed_versions
                    for user in self._leases_by_version_status.get((one["id"], "running"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_4(one_lease):
                return self._take_back(RULES[3])
        for one_lease in _distinct(changed_leases):
            if self._breaks_rule_5(one_lease):
                return self._take_back(RULES[4])
        for one_lease in _distinct(changed_leases):
            if self._breaks_rule_7_l(one_lease):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: rotate {secret['name']} as {by['name']} (new: version {version['id']}).",
            "data": {"version_id": version["id"], **self._changes()},
        }

    def destroy_version(self, version_id: str, by_id: str) -> Result:
        """Destroy a previous version that nobody holds any more.

        Args:
            version_id (str): Id of the version, such as VERSION-00001.
            by_id (str): Member who destroys it, an admin of the folder; an id such as MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        version = self.versions.get(version_id)
        if version is None:
            return _refused(f"There is no version {version_id!r}.")
        by = self.members.get(by_id)
        if by is None:
            return _refused(f"There is no member {by_id!r}.")
        if version["status"] != "previous":
            return _refused(
                f"Version {version['number']} of {self.secrets[version['secret_id']]['name']} is {version['status']}."
            )
        if self._level(by, self.folders[self.secrets[version["secret_id"]]["folder_id"]]) != 3:
            return _refused(
                f"{by['name']} does not administer "
                f"{self.folders[self.secrets[version['secret_id']]['folder_id']]['path']}."
            )
        lease = next(
            (l for l in sorted(self._leases_by_version_status.get((version_id, "running"), {}).values(), key=_age)),
            None,
        )
        if lease is not None:
            return _refused(f"{self.members[lease['holder_id']]['name']} still holds version {version['number']}.")
        self._journal = []
        self._put("versions", version, "status", "destroyed")
        if self._breaks_rule_1_v(version):
            return self._take_back(RULES[0])
        for one_lease in _distinct(self._leases_by_version_status.get((version["id"], "running"), {}).values()):
            if self._breaks_rule_4(one_lease):
                return self._take_back(RULES[3])
        return {
            "success": True,
            "message": (
                f"Done: destroy version {version['number']} of {self.secrets[version['secret_id']]['name']} as "
                f"{by['name']}."
            ),
            "data": self._changes(),
        }

    def ask_release(self, secret_id: str, member_id: str, reason: Text) -> Result:
        """Ask for the release of a guarded secret to a member who may read it.

        Args:
            secret_id (str): Id of the secret, such as SECRET-00001.
            member_id (str): Id of the member, such as MEMBER-00001.
            reason (str): Why the member needs the secret.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        secret = self.secrets.get(secret_id)
        if secret is None:
            return _refused(f"There is no secret {secret_id!r}.")
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if not self._guarded(self.folders[secret["folder_id"]]):
            return _refused(f"{secret['name']} is not guarded and can be leased as it is.")
        if self._level(member, self.folders[secret["folder_id"]]) < 1:
            return _refused(f"{member['name']} may not read in {self.folders[secret['folder_id']]['path']}.")
        if any(
            r["status"] == "asked"
            or self._in_time(r)
            for r in self._releases_by_secret_member.get((secret_id, member_id), {}).values()
        ):
            return _refused(f"A release of {secret['name']} to {member['name']} is under way.")
        self._journal = []
        release: Release = {
            "id": self._new_id("release", "RELEASE", self.releases),
            "secret_id": secret_id,
            "member_id": member_id,
            "reason": reason,
            "first_by_id": None,
            "second_by_id": None,
            "released_at": None,
            "status": "asked",
        }
        self._add("releases", release)
        if self._breaks_rule_7_r(release):
            return self._take_back(RULES[6])
        if self._breaks_rule_8_r(release):
            return self._take_back(RULES[7])
        if self._breaks_rule_8_r_again(release):
            return self._take_back(RULES[7])
        return {
            "success": True,
            "message": (
                f"Done: ask for the release of {secret['name']} to {member['name']} (new: release {release['id']})."
            ),
            "data": {"release_id": release["id"], **self._changes()},
        }

    def decide_release(self, release_id: str, by_id: str, agreed: bool) -> Result:
        """Agree to a release or refuse it; it needs the agreement of two people who administer the folder, and is
        good for 24 hours then.

        Args:
            release_id (str): Id of the release, such as RELEASE-00001.
            by_id (str): Member who decides, an admin of the folder and not the asking one; an id such as
                MEMBER-00001.
            agreed (bool): Whether the member agrees, as opposed to refusing the release.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        release = self.releases.get(release_id)
        if release is None:
            return _refused(f"There is no release {release_id!r}.")
        by = self.members.get(by_id)
        if by is None:
            return _refused(f"There is no member {by_id!r}.")
        if release["status"] != "asked":
            return _refused(f"That release is {release['status']}.")
        if self._level(by, self.folders[self.secrets[release["secret_id"]]["folder_id"]]) != 3:
            return _refused(
                f"{by['name']} does not administer "
                f"{self.folders[self.secrets[release['secret_id']]['folder_id']]['path']}."
            )
        if by_id == release["member_id"]:
            return _refused(f"{by['name']} cannot decide about their own release.")
        if by_id == release["first_by_id"]:
            return _refused(f"{by['name']} has agreed already, somebody else must be the second.")
        self._journal = []
        changed_releases: list[Any] = []
        changed_releases_2: list[Any] = []
        changed_releases_3: list[Any] = []
        if not agreed:
            changed_releases.append(release)
            self._put("releases", release, "status", "refused")
        else:
            if release["first_by_id"] is None:
                changed_releases_2.append(release)
                self._put("releases", release, "first_by_id", by_id)
            else:
                changed_releases_3.append(release)
                self._put("releases", release, "second_by_id", by_id)
                self._put("releases", release, "released_at", self.now)
                if release["status"] not in ("asked", "released"):
                    return self._take_back(f"Release {release['id']} cannot go from {release['status']} to released.")
                changed_releases.append(release)
                self._put("releases", release, "status", "released")
        for one_release in _distinct(changed_releases):
            if self._breaks_rule_7_r(one_release):
                return self._take_back(RULES[6])
        for one_release in _distinct([*changed_releases_2, *changed_releases_3]):
            if self._breaks_rule_8_r(one_release):
                return self._take_back(RULES[7])
        for one_release in _distinct([*changed_releases, *changed_releases_2, *changed_releases_3]):
            if self._breaks_rule_8_r_again(one_release):
                return self._take_back(RULES[7])
        for one_lease in _distinct(
            [user for one in changed_releases for user in self._leases_by_release.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9_l(one_lease):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: decide about the release of {self.secrets[release['secret_id']]['name']} to "
                f"{self.members[release['member_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def take_lease(
        self,
        secret_id: str,
        holder_id: str,
        lasts: Annotated[int, {"minimum": 1, "maximum": 72}],
    ) -> Result:
        """Lease the current version of a secret to a member for 1 to 72 hours; a guarded one needs a release of the
        last 24 hours that is not used yet.

        Args:
            secret_id (str): Id of the secret, such as SECRET-00001.
            holder_id (str): Member who gets the lease, with read access to the folder; an id such as MEMBER-00001.
            lasts (int): Length of the lease, in hours, from 1 to 72.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        secret = self.secrets.get(secret_id)
        if secret is None:
            return _refused(f"There is no secret {secret_id!r}.")
        holder = self.members.get(holder_id)
        if holder is None:
            return _refused(f"There is no member {holder_id!r}.")
        if self._level(holder, self.folders[secret["folder_id"]]) < 1:
            return _refused(f"{holder['name']} may not read in {self.folders[secret['folder_id']]['path']}.")
        version = self._current_of(secret)
        if version is None:
            return _refused(f"{secret['name']} has no current version, so rotate it first.")
        release = next(
            (
                r
                for r in sorted(self._releases_by_secret_member.get((secret_id, holder_id), {}).values(), key=_age)
                if self._in_time(r)
            ),
            None,
        )
        if release is None and self._guarded(self.folders[secret["folder_id"]]):
            return _refused(
                f"{secret['name']} is guarded and was not released to {holder['name']} within the last 24 hours."
            )
        if any(
            self.versions[l["version_id"]]["secret_id"] == secret_id
            for l in self._leases_by_holder_status.get((holder_id, "running"), {}).values()
        ):
            return _refused(f"{holder['name']} holds {secret['name']} already.")
        if self._secret_running(secret) >= secret["most_leases"]:
            return _refused(
                f"{secret['name']} is leased {self._secret_running(secret)} times, which is all it allows."
            )
        self._journal = []
        changed_releases: list[Any] = []
        if release is not None:
            if release["status"] not in ("released", "used"):
                return self._take_back(f"Release {release['id']} cannot go from {release['status']} to used.")
            changed_releases.append(release)
            self._put("releases", release, "status", "used")
        lease: Lease = {
            "id": self._new_id("lease", "LEASE", self.leases),
            "version_id": version["id"],
            "holder_id": holder_id,
            "release_id": release["id"] if release is not None else None,
            "taken_at": self.now,
            "ends_at": _plus_minutes(self.now, lasts * 60),
            "status": "running",
        }
        self._add("leases", lease)
        if self._breaks_rule_2(lease):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.secrets[self.versions[lease["version_id"]]["secret_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(lease):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(lease):
            return self._take_back(RULES[4])
        if self._breaks_rule_6(lease):
            return self._take_back(RULES[5])
        if self._breaks_rule_7_l(lease):
            return self._take_back(RULES[6])
        for one_release in _distinct(changed_releases):
            if self._breaks_rule_7_r(one_release):
                return self._take_back(RULES[6])
        for one_release in _distinct(changed_releases):
            if self._breaks_rule_8_r_again(one_release):
                return self._take_back(RULES[7])
        for one_lease in _distinct(
            [
                lease,
                *[user for one in changed_releases for user in self._leases_by_release.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_9_l(one_lease):
                return self._take_back(RULES[8])
        if self._breaks_rule_9_l_again(lease):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": (
                f"Done: lease {secret['name']} to {holder['name']} for {lasts} hours (new: lease {lease['id']})."
            ),
            "data": {"lease_id": lease["id"], **self._changes()},
        }

    def renew_lease(self, lease_id: str, more: Annotated[int, {"minimum": 1, "maximum": 71}]) -> Result:
        """Let a lease that has not run out last longer, 72 hours in all at most.

        Args:
            lease_id (str): Id of the lease, such as LEASE-00001.
            more (int): Hours that are added to the end of the lease, from 1 to 71.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lease = self.leases.get(lease_id)
        if lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        if lease["status"] != "running":
            return _refused(f"The lease is {lease['status']}.")
        if lease["ends_at"] <= self.now:
            return _refused("The lease ran out, so return it and take a new one.")
        if _plus_minutes(lease["ends_at"], more * 60) > _plus_minutes(lease["taken_at"], 72 * 60):
            return _refused("A lease lasts 72 hours at most.")
        self._journal = []
        self._put("leases", lease, "ends_at", _plus_minutes(lease["ends_at"], more * 60))
        if self._breaks_rule_6(lease):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                "Done: renew the lease of "
                f"{self.secrets[self.versions[lease['version_id']]['secret_id']]['name']} to "
                f"{self.members[lease['holder_id']]['name']} by {more} hours."
            ),
            "data": self._changes(),
        }

    def return_lease(self, lease_id: str) -> Result:
        """Return a lease, also one that has run out.

        Args:
            lease_id (str): Id of the lease, such as LEASE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        lease = self.leases.get(lease_id)
        if lease is None:
            return _refused(f"There is no lease {lease_id!r}.")
        if lease["status"] != "running":
            return _refused(f"The lease is {lease['status']} already.")
        self._journal = []
        self._put("leases", lease, "status", "returned")
        if self._breaks_rule_2(lease):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(self.secrets[self.versions[lease["version_id"]]["secret_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_4(lease):
            return self._take_back(RULES[3])
        if self._breaks_rule_5(lease):
            return self._take_back(RULES[4])
        if self._breaks_rule_7_l(lease):
            return self._take_back(RULES[6])
        return {
            "success": True,
            "message": (
                "Done: return the lease of "
                f"{self.secrets[self.versions[lease['version_id']]['secret_id']]['name']} to "
                f"{self.members[lease['holder_id']]['name']}."
            ),
            "data": self._changes(),
        }

    def offboard_member(self, member_id: str) -> Result:
        """Let a member go, whose leases are revoked, policies dropped and releases refused.

        Args:
            member_id (str): Id of the member, such as MEMBER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        member = self.members.get(member_id)
        if member is None:
            return _refused(f"There is no member {member_id!r}.")
        if member["left"]:
            return _refused(f"{member['name']} has left already.")
        alone = next(
            (
                self.folders[p["folder_id"]]
                for p in sorted(self._policies_by_member_access.get((member_id, "admin"), {}).values(), key=_age)
                if not any(
                    q["member_id"] != member_id
                    for q in self._policies_by_folder_access.get((p["folder_id"], "admin"), {}).values()
                )
            ),
            None,
        )
        if alone is not None:
            return _refused(f"Nobody else administers {alone['path']}, so name somebody first.")
        self._journal = []
        changed_leases: list[Any] = []
        changed_releases: list[Any] = []
        deleted_policies: list[Any] = []
        for l in sorted(self._leases_by_holder_status.get((member_id, "running"), {}).values(), key=_age):
            if l["status"] not in ("running", "revoked"):
                return self._take_back(f"Lease {l['id']} cannot go from {l['status']} to revoked.")
            changed_leases.append(l)
            self._put("leases", l, "status", "revoked")
        for r in [
            r
            for r in sorted(self._releases_by_member.get(member_id, {}).values(), key=_age)
            if r["status"] in ("asked", "released")
        ]:
            if r["status"] not in ("asked", "released", "refused"):
                return self._take_back(f"Release {r['id']} cannot go from {r['status']} to refused.")
            changed_releases.append(r)
            self._put("releases", r, "status", "refused")
        for p in sorted(self._policies_by_member.get(member_id, {}).values(), key=_age):
            if p["id"] in self.policies:
                self._remove("policies", p)
            deleted_policies.append(p)
        self._put("members", member, "left", True)
        for one_lease in _distinct(changed_leases):
            if self._breaks_rule_2(one_lease):
                return self._take_back(RULES[1])
        for one_secret in _distinct(
            [self.secrets[one["secret_id"]] for one in [self.versions[one["version_id"]] for one in changed_leases]]
        ):
            if self._breaks_rule_3(one_secret):
                return self._take_back(RULES[2])
        for one_lease in _distinct(changed_leases):
            if self._breaks_rule_4(one_lease):
                return self._take_back(RULES[3])
        for one_lease in _distinct(
            [
                *changed_leases,
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in [self.folders[one["folder_id"]] for one in deleted_policies]
                            for user in self._secrets_by_folder.get(one["id"], {}).values()
                        ]
                        for user in self._versions_by_secret.get(one["id"], {}).values()
                    ]
                    for user in self._leases_by_version_status.get((one["id"], "running"), {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [
                            user
                            for one in [
                                user
                                for one in [self.folders[one["folder_id"]] for one in deleted_policies]
                                for user in _below(self._folders_by_parent, one)
                            ]
                            for user in self._secrets_by_folder.get(one["id"], {}).values()
                        ]
                        for user in self._versions_by_secret.get(one["id"], {}).values()
                    ]
                    for user in self._leases_by_version_status.get((one["id"], "running"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_5(one_lease):
                return self._take_back(RULES[4])
        for one_policy in _distinct(self._policies_by_member.get(member["id"], {}).values()):
            if one_policy["id"] in self.policies and self._breaks_rule_7_p(one_policy):
                return self._take_back(RULES[6])
        for one_lease in _distinct(
            [*changed_leases, *self._leases_by_holder_status.get((member["id"], "running"), {}).values()]
        ):
            if self._breaks_rule_7_l(one_lease):
                return self._take_back(RULES[6])
        for one_release in _distinct([*changed_releases, *self._releases_by_member.get(member["id"], {}).values()]):
            if self._breaks_rule_7_r(one_release):
                return self._take_back(RULES[6])
        for one_release in _distinct(changed_releases):
            if self._breaks_rule_8_r_again(one_release):
                return self._take_back(RULES[7])
        for one_lease in _distinct(
            [user for one in changed_releases for user in self._leases_by_release.get(one["id"], {}).values()]
        ):
            if self._breaks_rule_9_l(one_lease):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: let {member['name']} go.", "data": self._changes()}

    def _show_secret(self, secret: Secret) -> dict[str, Any]:
        """The secret as an answer shows it."""
        return {
            **secret,
            "versions": self._secret_versions(secret),
            "running": self._secret_running(secret),
            "rotate_by": self._secret_rotate_by(secret),
        }

    def _show_lease(self, lease: Lease) -> dict[str, Any]:
        """The lease as an answer shows it."""
        return {**lease, "secret_id": _id_of(self._lease_secret(lease))}

    def _names_of_folders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that folders point to."""
        return _names((self.folders, "path", [row["parent_id"] for row in shown]))

    def _names_of_policies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that policies point to."""
        return _names(
            (self.folders, "path", [row["folder_id"] for row in shown]),
            (self.members, "name", [row["member_id"] for row in shown]),
        )

    def _names_of_secrets(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that secrets point to."""
        return _names((self.folders, "path", [row["folder_id"] for row in shown]))

    def _names_of_versions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that versions point to."""
        return _names(
            (self.secrets, "name", [row["secret_id"] for row in shown]),
            (self.members, "name", [row["made_by_id"] for row in shown]),
        )

    def _names_of_releases(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that releases point to."""
        return _names(
            (self.secrets, "name", [row["secret_id"] for row in shown]),
            (self.members, "name", [row["member_id"] for row in shown]),
            (self.members, "name", [row["first_by_id"] for row in shown]),
            (self.members, "name", [row["second_by_id"] for row in shown]),
        )

    def _names_of_leases(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that leases point to."""
        return _names(
            (self.members, "name", [row["holder_id"] for row in shown]),
            (self.secrets, "name", [row["secret_id"] for row in shown]),
        )

    def _secret_versions(self, secret: Secret) -> int:
        """The versions of a secret."""
        return len(self._versions_by_secret.get(secret["id"], {}))

    def _secret_running(self, secret: Secret) -> int:
        """The running of a secret."""
        return len(
            [
                l
                for _version in self._versions_by_secret.get(secret["id"], {}).values()
                for l in self._leases_by_version_status.get((_version["id"], "running"), {}).values()
            ]
        )

    def _secret_rotate_by(self, secret: Secret) -> str | None:
        """The rotate by of a secret."""
        return next(
            (
                _plus_days(v["made_on"], self.secrets[v["secret_id"]]["rotate_every"])
                for v in sorted(self._versions_by_secret_status.get((secret["id"], "current"), {}).values(), key=_age)
            ),
            None,
        )

    def _lease_secret(self, lease: Lease) -> Secret:
        """The secret of a lease."""
        return self.secrets[self.versions[lease["version_id"]]["secret_id"]]

    def _rank(self, p: Policy) -> int:
        return 3 if p["access"] == "admin" else 2 if p["access"] == "write" else 1 if p["access"] == "read" else 0

    def _level(self, m: Member, f: Folder) -> int:
        return (
            next(
                (
                    self._rank(p)
                    for g in [f] + _above(self.folders, f, "parent_id")
                    for p in sorted(self._policies_by_folder_member.get((g["id"], m["id"]), {}).values(), key=_age)
                ),
                None,
            )
            if next(
                (
                    self._rank(p)
                    for g in [f] + _above(self.folders, f, "parent_id")
                    for p in sorted(self._policies_by_folder_member.get((g["id"], m["id"]), {}).values(), key=_age)
                ),
                None,
            ) is not None
            else 0
        )

    def _guarded(self, f: Folder) -> bool:
        return f["guarded"] or any(g["guarded"] for g in _above(self.folders, f, "parent_id"))

    def _under(self, g: Folder, f: Folder) -> bool:
        return g is f or f in _above(self.folders, g, "parent_id")

    def _current_of(self, s: Secret) -> Version | None:
        return next(
            (v for v in sorted(self._versions_by_secret_status.get((s["id"], "current"), {}).values(), key=_age)),
            None,
        )

    def _in_time(self, r: Release) -> bool:
        return (
            r["status"] == "released"
            and r["released_at"] is not None
            and self.now <= _plus_minutes(r["released_at"], 24 * 60)
        )

    def _held(self, m: Member, f: Folder) -> Lease | None:
        return next(
            (
                l
                for l in sorted(self._leases_by_holder_status.get((m["id"], "running"), {}).values(), key=_age)
                if self._under(
                    self.folders[self.secrets[self.versions[l["version_id"]]["secret_id"]]["folder_id"]],
                    f,
                )
            ),
            None,
        )

    def _breaks_rule_1_v(self, v: Version) -> bool:
        """Whether this is broken: a secret has one current version at most, and its versions are numbered."""
        return (
            v["status"] == "current"
            and any(
                other_v is not v
                for other_v in self._versions_by_secret_status.get((v["secret_id"], "current"), {}).values()
            )
        )

    def _breaks_rule_1_v_again(self, v: Version) -> bool:
        """Whether this is broken: a secret has one current version at most, and its versions are numbered."""
        return any(
            other_v is not v
            for other_v in self._versions_by_secret.get(v["secret_id"], {}).values()
            if other_v["number"] == v["number"]
        )

    def _breaks_rule_2(self, l: Lease) -> bool:
        """Whether this is broken: a member holds one running lease of a secret at a time."""
        return (
            l["status"] == "running"
            and any(
                other_l is not l
                for other_l in self._leases_by_holder_status.get((l["holder_id"], "running"), {}).values()
                if self.versions[other_l["version_id"]]["secret_id"] == self.versions[l["version_id"]]["secret_id"]
            )
        )

    def _breaks_rule_3(self, s: Secret) -> bool:
        """Whether this is broken: a secret is never leased more often at a time than it may be."""
        return self._secret_running(s) > s["most_leases"]

    def _breaks_rule_4(self, l: Lease) -> bool:
        """Whether this is broken: nobody holds a lease of a version that was destroyed."""
        return l["status"] == "running" and self.versions[l["version_id"]]["status"] == "destroyed"

    def _breaks_rule_5(self, l: Lease) -> bool:
        """Whether this is broken: whoever holds a running lease may read in that folder."""
        return (
            l["status"] == "running"
            and self._level(
                self.members[l["holder_id"]],
                self.folders[self.secrets[self.versions[l["version_id"]]["secret_id"]]["folder_id"]],
            ) < 1
        )

    def _breaks_rule_6(self, l: Lease) -> bool:
        """Whether this is broken: a lease ends after it begins, 72 hours later at most."""
        return (
            0 >= _minutes_between(l["taken_at"], l["ends_at"])
            or _minutes_between(l["taken_at"], l["ends_at"]) > 72 * 60
        )

    def _breaks_rule_7_p(self, p: Policy) -> bool:
        """Whether this is broken: somebody who left has no policy, no running lease and nothing to be released."""
        return self.members[p["member_id"]]["left"]

    def _breaks_rule_7_l(self, l: Lease) -> bool:
        """Whether this is broken: somebody who left has no policy, no running lease and nothing to be released."""
        return l["status"] == "running" and self.members[l["holder_id"]]["left"]

    def _breaks_rule_7_r(self, r: Release) -> bool:
        """Whether this is broken: somebody who left has no policy, no running lease and nothing to be released."""
        return r["status"] in ("asked", "released") and self.members[r["member_id"]]["left"]

    def _breaks_rule_8_r(self, r: Release) -> bool:
        """Whether this is broken: two different people release a secret, neither of them the one who wants it."""
        return not (
            r["first_by_id"] is None
            or r["first_by_id"] != r["member_id"]
            and r["first_by_id"] != r["second_by_id"]
            and r["second_by_id"] != r["member_id"]
        )

    def _breaks_rule_8_r_again(self, r: Release) -> bool:
        """Whether this is broken: two different people release a secret, neither of them the one who wants it."""
        return r["status"] in ("released", "used") and (r["second_by_id"] is None or r["first_by_id"] is None)

    def _breaks_rule_9_l(self, l: Lease) -> bool:
        """Whether this is broken: a guarded secret is leased only on a release for that member, and a release serves
        once.
        """
        return not (
            l["release_id"] is None
            or self.releases[l["release_id"]]["secret_id"] == self.versions[l["version_id"]]["secret_id"]
            and self.releases[l["release_id"]]["member_id"] == l["holder_id"]
            and self.releases[l["release_id"]]["status"] == "used"
        )

    def _breaks_rule_9_l_again(self, l: Lease) -> bool:
        """Whether this is broken: a guarded secret is leased only on a release for that member, and a release serves
        once.
        """
        return (
            l["release_id"] is not None
            and any(
                other_l is not l
                for other_l in self._leases_by_release.get(l["release_id"], {}).values()
                if other_l["release_id"] is not None
            )
        )

    def _breaks_rule_10(self, p: Policy) -> bool:
        """Whether this is broken: a member has one policy on a folder."""
        return any(
            other_p is not p
            for other_p in self._policies_by_folder_member.get((p["folder_id"], p["member_id"]), {}).values()
        )

    def _breaks_rule_11(self, p: Policy) -> bool:
        """Whether this is broken: only people administer folders."""
        return p["access"] == "admin" and self.members[p["member_id"]]["kind"] != "person"

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
            case "folders":
                self._folders_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
            case "policies":
                self._policies_by_folder_access.setdefault(
                    (record["folder_id"], record["access"]),
                    {},
                )[record["id"]] = record
                self._policies_by_folder_member.setdefault(
                    (record["folder_id"], record["member_id"]),
                    {},
                )[record["id"]] = record
                self._policies_by_member.setdefault(record["member_id"], {})[record["id"]] = record
                self._policies_by_member_access.setdefault(
                    (record["member_id"], record["access"]),
                    {},
                )[record["id"]] = record
            case "secrets":
                self._secrets_by_folder.setdefault(record["folder_id"], {})[record["id"]] = record
                self._secrets_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                self._secrets_by_name.setdefault(record["name"], {})[record["id"]] = record
            case "versions":
                self._versions_by_secret.setdefault(record["secret_id"], {})[record["id"]] = record
                self._versions_by_secret_status.setdefault(
                    (record["secret_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "releases":
                self._releases_by_member.setdefault(record["member_id"], {})[record["id"]] = record
                self._releases_by_secret_member.setdefault(
                    (record["secret_id"], record["member_id"]),
                    {},
                )[record["id"]] = record
            case "leases":
                self._leases_by_holder_status.setdefault(
                    (record["holder_id"], record["status"]),
                    {},
                )[record["id"]] = record
                self._leases_by_release.setdefault(record["release_id"], {})[record["id"]] = record
                self._leases_by_version_status.setdefault(
                    (record["version_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "folders":
                del self._folders_by_parent[record["parent_id"]][record["id"]]
            case "policies":
                del self._policies_by_folder_access[record["folder_id"], record["access"]][record["id"]]
                del self._policies_by_folder_member[record["folder_id"], record["member_id"]][record["id"]]
                del self._policies_by_member[record["member_id"]][record["id"]]
                del self._policies_by_member_access[record["member_id"], record["access"]][record["id"]]
            case "secrets":
                del self._secrets_by_folder[record["folder_id"]][record["id"]]
                del self._secrets_by_lower_name[record["name"].lower()][record["id"]]
                del self._secrets_by_name[record["name"]][record["id"]]
            case "versions":
                del self._versions_by_secret[record["secret_id"]][record["id"]]
                del self._versions_by_secret_status[record["secret_id"], record["status"]][record["id"]]
            case "releases":
                del self._releases_by_member[record["member_id"]][record["id"]]
                del self._releases_by_secret_member[record["secret_id"], record["member_id"]][record["id"]]
            case "leases":
                del self._leases_by_holder_status[record["holder_id"], record["status"]][record["id"]]
                del self._leases_by_release[record["release_id"]][record["id"]]
                del self._leases_by_version_status[record["version_id"], record["status"]][record["id"]]
