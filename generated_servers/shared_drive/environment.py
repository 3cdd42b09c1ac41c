"""Shared drive. Compiled from blueprint.yaml; run `envscaler build shared_drive` after changing it there.

A company's shared drive of folders and files, with versions, access for people and teams that is inherited
downwards, locks, storage quotas and a trash.
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
    "No folder lies inside itself.",
    "Folders are nested at most 6 deep.",
    "Folders that lie side by side have different names, whatever the case.",
    "Files in one folder have different names, whatever the case, except those in the trash.",
    "Nobody's files, with all versions and those in the trash, take more than their quota.",
    "A file has at least one version and at most as many as its folder keeps.",
    "The versions of a file have different numbers.",
    "A file in the trash is not locked, and it is known who put it there.",
    "Only somebody who may edit a file holds its lock.",
    "A grant is for a person or for a team, never for both, and never for the folder's owner.",
    "A folder has one grant for each person and each team.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "create_folder",
    "move_folder",
    "delete_folder",
    "save_file",
    "revert_file",
    "move_file",
    "lock_file",
    "unlock_file",
    "delete_file",
    "restore_file",
    "hand_over_file",
    "set_access",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "users": ("name",),
    "teams": ("name",),
    "folders": ("name",),
    "files": ("name",),
    "versions": (),
    "grants": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("files", "folder_id"),
    ("files", "owner_id"),
    ("folders", "parent_id"),
    ("grants", "folder_id"),
    ("grants", "team_id"),
    ("grants", "user_id"),
    ("versions", "file_id"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class User(TypedDict):
    id: str
    name: str
    email: str
    quota: int


class Team(TypedDict):
    id: str
    name: str
    member_ids: list[str]


class Folder(TypedDict):
    id: str
    name: str
    parent_id: str | None
    owner_id: str
    keeps: int
    created_on: str


class File(TypedDict):
    id: str
    name: str
    folder_id: str
    owner_id: str
    locked_by_id: str | None
    trashed_on: str | None
    trashed_by_id: str | None


class Version(TypedDict):
    id: str
    file_id: str
    number: int
    size: int
    saved_by_id: str
    saved_at: str
    note: str | None


class Grant(TypedDict):
    id: str
    folder_id: str
    user_id: str | None
    team_id: str | None
    level: Literal["viewer", "editor", "manager"]
    given_by_id: str


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


class SharedDrive:
    """A company's shared drive of folders and files, with versions, access for people and teams that is
    inherited downwards, locks, storage quotas and a trash.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.users: dict[str, User] = _copied(config.get("users", {}))
        self.teams: dict[str, Team] = _copied(config.get("teams", {}))
        self.folders: dict[str, Folder] = _copied(config.get("folders", {}))
        self.files: dict[str, File] = _copied(config.get("files", {}))
        self.versions: dict[str, Version] = _copied(config.get("versions", {}))
        self.grants: dict[str, Grant] = _copied(config.get("grants", {}))
        self.now: str = config.get("now", "2026-03-02T11:00")
        self.counters: dict[str, int] = {
            "user": len(self.users),
            "team": len(self.teams),
            "folder": len(self.folders),
            "file": len(self.files),
            "version": len(self.versions),
            "grant": len(self.grants),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._folders_by_parent: dict[Any, dict[str, Folder]] = {}
        self._files_by_folder: dict[Any, dict[str, File]] = {}
        self._files_by_owner: dict[Any, dict[str, File]] = {}
        self._versions_by_file: dict[Any, dict[str, Version]] = {}
        self._grants_by_folder: dict[Any, dict[str, Grant]] = {}
        self._grants_by_folder_user_team: dict[Any, dict[str, Grant]] = {}
        for folder in self.folders.values():
            self._link("folders", folder)
        for file in self.files.values():
            self._link("files", file)
        for version in self.versions.values():
            self._link("versions", version)
        for grant in self.grants.values():
            self._link("grants", grant)

    def access_to(self, folder_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Everybody who can open a folder, with the rights they have in it, inherited ones too.

        Args:
            folder_id (str): Id of the folder, such as FOLDER-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "users": records}} or {"success": False, "error": why
                not}
        """
        folder = self.folders.get(folder_id)
        if folder is None:
            return _refused(f"There is no folder {folder_id!r}.")
        found = [u for u in self.users.values() if self._may_view(u, folder)]
        found.sort(key=lambda u: (u["name"], _age(u)))
        return _found(
            {
                "total": len(found),
                "users": [
                    {
                        "id": u["id"],
                        "name": u["name"],
                        "level": "manager" if self._may_manage(
                            u,
                            folder,
                        ) else "editor" if self._may_edit(u, folder) else "viewer",
                        "owner": u["id"] == folder["owner_id"],
                    }
                    for u in _page(found, offset)
                ],
            }
        )

    def biggest_files(self, owner_id: str | None = None, under_id: str | None = None) -> Result:
        """The files that take most storage with all their versions.

        Args:
            owner_id (str, optional): User who owns the files; an id such as USER-00001. If left out, the files of
                all users are listed.
            under_id (str, optional): Folder to look in, with all below it; an id such as FOLDER-00001. If left
                out, all folders are looked at.

        Returns:
            dict: {"success": True, "data": {"total": int, "files": records}} or {"success": False, "error": why
                not}
        """
        owner = self.users.get(owner_id) if owner_id is not None else None
        if owner_id is not None and owner is None:
            return _refused(f"There is no user {owner_id!r}.")
        under = self.folders.get(under_id) if under_id is not None else None
        if under_id is not None and under is None:
            return _refused(f"There is no folder {under_id!r}.")
        found = [
            f
            for f in self.files.values()
            if (owner_id is None or f["owner_id"] == owner_id)
            and (
                under_id is None
                or (
                    f["folder_id"] == under_id
                    or under in _above(self.folders, self.folders[f["folder_id"]], "parent_id")
                )
            )
        ]
        found.sort(key=lambda f: (-self._file_stored(f), f["name"], f["id"], _age(f)))
        return _found(
            {
                "total": len(found),
                "files": [
                    {
                        "id": f["id"],
                        "name": f["name"],
                        "folder": self.folders[f["folder_id"]]["name"],
                        "owner": self.users[f["owner_id"]]["name"],
                        "stored": self._file_stored(f),
                        "versions": self._file_versions(f),
                        "trashed": self._file_trashed(f),
                    }
                    for f in found[:10]
                ],
            }
        )

    def trash(
        self,
        owner_id: str | None = None,
        folder_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Files in the trash, longest there first.

        Args:
            owner_id (str, optional): User who owns the files; an id such as USER-00001. If left out, the files of
                all users are listed.
            folder_id (str, optional): Folder in which the files were; an id such as FOLDER-00001. If left out, the
                files of all folders are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "files": records}} or {"success": False, "error": why
                not}
        """
        owner = self.users.get(owner_id) if owner_id is not None else None
        if owner_id is not None and owner is None:
            return _refused(f"There is no user {owner_id!r}.")
        folder = self.folders.get(folder_id) if folder_id is not None else None
        if folder_id is not None and folder is None:
            return _refused(f"There is no folder {folder_id!r}.")
        found = [
            f
            for f in self.files.values()
            if f["trashed_on"] is not None
            and (owner_id is None or f["owner_id"] == owner_id)
            and (folder_id is None or f["folder_id"] == folder_id)
        ]
        found.sort(key=lambda f: (f["trashed_on"], f["id"], _age(f)))
        return _found(
            {
                "total": len(found),
                "files": [
                    {
                        "id": f["id"],
                        "name": f["name"],
                        "folder": self.folders[f["folder_id"]]["name"],
                        "owner": self.users[f["owner_id"]]["name"],
                        "stored": self._file_stored(f),
                        "trashed_on": f["trashed_on"],
                    }
                    for f in _page(found, offset)
                ],
            }
        )

    def list_users(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the users, oldest first, all of them or only some.

        Args:
            name (str, optional): Only users whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "users": records}}
        """
        found = [user for user in self.users.values() if (name is None or name.casefold() in user["name"].casefold())]
        return _found({"total": len(found), "users": [self._show_user(user) for user in _page(found, offset)]})

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
        shown = [self._show_team(team) for team in _page(found, offset)]
        return _found({"total": len(found), "teams": shown}, self._names_of_teams(shown))

    def list_folders(
        self,
        name: Text | None = None,
        parent_id: str | None = None,
        owner_id: str | None = None,
        created_on_from: Date | None = None,
        created_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the folders, oldest first, all of them or only some.

        Args:
            name (str, optional): Only folders whose name contains this text.
            parent_id (str, optional): Only folders whose parent is this folder.
            owner_id (str, optional): Only folders whose owner is this user.
            created_on_from (str, optional): Only folders whose `created_on` is on this day or later.
            created_on_to (str, optional): Only folders whose `created_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "folders": records}}
        """
        if parent_id is not None and parent_id not in self.folders:
            return _refused(f"There is no folder {parent_id!r}.")
        if owner_id is not None and owner_id not in self.users:
            return _refused(f"There is no user {owner_id!r}.")
        found = [
            folder
            for folder in self.folders.values()
            if (name is None or name.casefold() in folder["name"].casefold())
            and (parent_id is None or folder["parent_id"] == parent_id)
            and (owner_id is None or folder["owner_id"] == owner_id)
            and (created_on_from is None or folder["created_on"] >= created_on_from)
            and (created_on_to is None or folder["created_on"] <= created_on_to)
        ]
        shown = [self._show_folder(folder) for folder in _page(found, offset)]
        return _found({"total": len(found), "folders": shown}, self._names_of_folders(shown))

    def get_file(self, file_id: str) -> Result:
        """Look up one file by its id.

        Args:
            file_id (str): Id of the file, such as FILE-00001.

        Returns:
            dict: {"success": True, "data": the record} or {"success": False, "error": why not}
        """
        file = self.files.get(file_id)
        if file is None:
            return _refused(f"There is no file {file_id!r}.")
        shown = self._show_file(file)
        return _found(shown, self._names_of_files([shown]))

    def list_files(
        self,
        name: Text | None = None,
        folder_id: str | None = None,
        owner_id: str | None = None,
        locked_by_id: str | None = None,
        trashed_by_id: str | None = None,
        trashed_on_from: Date | None = None,
        trashed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the files, oldest first, all of them or only some.

        Args:
            name (str, optional): Only files whose name contains this text.
            folder_id (str, optional): Only files of this folder.
            owner_id (str, optional): Only files whose owner is this user.
            locked_by_id (str, optional): Only files locked by this user.
            trashed_by_id (str, optional): Only files trashed by this user.
            trashed_on_from (str, optional): Only files whose `trashed_on` is on this day or later.
            trashed_on_to (str, optional): Only files whose `trashed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "files": records}}
        """
        if folder_id is not None and folder_id not in self.folders:
            return _refused(f"There is no folder {folder_id!r}.")
        if owner_id is not None and owner_id not in self.users:
            return _refused(f"There is no user {owner_id!r}.")
        if locked_by_id is not None and locked_by_id not in self.users:
            return _refused(f"There is no user {locked_by_id!r}.")
        if trashed_by_id is not None and trashed_by_id not in self.users:
            return _refused(f"There is no user {trashed_by_id!r}.")
        found = [
            file
            for file in self.files.values()
            if (name is None or name.casefold() in file["name"].casefold())
            and (folder_id is None or file["folder_id"] == folder_id)
            and (owner_id is None or file["owner_id"] == owner_id)
            and (locked_by_id is None or file["locked_by_id"] == locked_by_id)
            and (trashed_by_id is None or file["trashed_by_id"] == trashed_by_id)
            and (
                trashed_on_from is None
                or (file["trashed_on"] is not None and file["trashed_on"] >= trashed_on_from)
            )
            and (trashed_on_to is None or (file["trashed_on"] is not None and file["trashed_on"] <= trashed_on_to))
        ]
        shown = [self._show_file(file) for file in _page(found, offset)]
        return _found({"total": len(found), "files": shown}, self._names_of_files(shown))

    def list_versions(
        self,
        file_id: str | None = None,
        saved_by_id: str | None = None,
        saved_at_from: Date | None = None,
        saved_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the versions, oldest first, all of them or only some.

        Args:
            file_id (str, optional): Only versions of this file.
            saved_by_id (str, optional): Only versions saved by this user.
            saved_at_from (str, optional): Only versions whose `saved_at` is on this day or later.
            saved_at_to (str, optional): Only versions whose `saved_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "versions": records}}
        """
        if file_id is not None and file_id not in self.files:
            return _refused(f"There is no file {file_id!r}.")
        if saved_by_id is not None and saved_by_id not in self.users:
            return _refused(f"There is no user {saved_by_id!r}.")
        found = [
            version
            for version in self.versions.values()
            if (file_id is None or version["file_id"] == file_id)
            and (saved_by_id is None or version["saved_by_id"] == saved_by_id)
            and (saved_at_from is None or version["saved_at"][:10] >= saved_at_from)
            and (saved_at_to is None or version["saved_at"][:10] <= saved_at_to)
        ]
        shown = [{**version} for version in _page(found, offset)]
        return _found({"total": len(found), "versions": shown}, self._names_of_versions(shown))

    def list_grants(
        self,
        folder_id: str | None = None,
        user_id: str | None = None,
        team_id: str | None = None,
        level: Literal["viewer", "editor", "manager"] | None = None,
        given_by_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the grants, oldest first, all of them or only some.

        Args:
            folder_id (str, optional): Only grants of this folder.
            user_id (str, optional): Only grants of this user.
            team_id (str, optional): Only grants of this team.
            level (str, optional): Only grants with this level.
            given_by_id (str, optional): Only grants given by this user.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "grants": records}}
        """
        if folder_id is not None and folder_id not in self.folders:
            return _refused(f"There is no folder {folder_id!r}.")
        if user_id is not None and user_id not in self.users:
            return _refused(f"There is no user {user_id!r}.")
        if team_id is not None and team_id not in self.teams:
            return _refused(f"There is no team {team_id!r}.")
        if given_by_id is not None and given_by_id not in self.users:
            return _refused(f"There is no user {given_by_id!r}.")
        found = [
            grant
            for grant in self.grants.values()
            if (folder_id is None or grant["folder_id"] == folder_id)
            and (user_id is None or grant["user_id"] == user_id)
            and (team_id is None or grant["team_id"] == team_id)
            and (level is None or grant["level"] == level)
            and (given_by_id is None or grant["given_by_id"] == given_by_id)
        ]
        shown = [{**grant} for grant in _page(found, offset)]
        return _found({"total": len(found), "grants": shown}, self._names_of_grants(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def create_folder(
        self,
        by_id: str,
        into_id: str,
        name: Text,
        keeps: Annotated[int, {"minimum": 1, "maximum": 10}] = 5,
    ) -> Result:
        """Create a folder inside another one.

        Args:
            by_id (str): User who creates and then owns it, able to edit the outer folder; an id such as
                USER-00001.
            into_id (str): Folder in which it is created; an id such as FOLDER-00001.
            name (str): Name of the new folder, not in use in the outer one.
            keeps (int): Number of versions kept of each file in it, from 1 to 10. Default: 5.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.users.get(by_id)
        if by is None:
            return _refused(f"There is no user {by_id!r}.")
        into = self.folders.get(into_id)
        if into is None:
            return _refused(f"There is no folder {into_id!r}.")
        if not self._may_edit(by, into):
            return _refused(f"{by['name']} may not edit {into['name']}.")
        if self._depth(into) >= 6:
            return _refused(f"{into['name']} is {self._depth(into)} deep, and 6 is the most.")
        if any(f["name"].lower() == name.lower() for f in self._folders_by_parent.get(into_id, {}).values()):
            return _refused(f"{into['name']} has a folder {name} already.")
        done = f"create folder {name} in {into['name']} for {by['name']}"
        self._journal = []
        folder: Folder = {
            "id": self._new_id("folder", "FOLDER", self.folders),
            "name": name,
            "parent_id": into_id,
            "owner_id": by_id,
            "keeps": keeps,
            "created_on": self.now[:10],
        }
        self._add("folders", folder)
        if self._breaks_rule_1(folder):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(folder):
            return self._take_back(RULES[1])
        if self._breaks_rule_3(folder):
            return self._take_back(RULES[2])
        return {
            "success": True,
            "message": f"Done: {done} (new: folder {folder['id']}).",
            "data": {"folder_id": folder["id"], **self._changes()},
        }

    def move_folder(self, by_id: str, folder_id: str, into_id: str | None = None, name: Text | None = None) -> Result:
        """Move a folder with all it holds into another folder, or rename it; locks of people who lose the right to
        edit are released.

        Args:
            by_id (str): User who does it, able to manage the folder and edit the target; an id such as USER-00001.
            folder_id (str): Id of the folder, such as FOLDER-00001.
            into_id (str, optional): Folder that takes it; an id such as FOLDER-00001. If left out, the folder
                stays where it is.
            name (str, optional): New name of the folder. If left out, the name stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.users.get(by_id)
        if by is None:
            return _refused(f"There is no user {by_id!r}.")
        folder = self.folders.get(folder_id)
        if folder is None:
            return _refused(f"There is no folder {folder_id!r}.")
        into = self.folders.get(into_id) if into_id is not None else None
        if into_id is not None and into is None:
            return _refused(f"There is no folder {into_id!r}.")
        if folder["parent_id"] is None:
            return _refused(f"{folder['name']} is a top folder and stays where it is.")
        target = into or self.folders[folder["parent_id"]]
        title = name if name is not None else folder["name"]
        if target["id"] == folder["parent_id"] and title == folder["name"]:
            return _refused(f"{folder['name']} lies in {target['name']} already.")
        if not self._may_manage(by, folder):
            return _refused(f"{by['name']} may not manage {folder['name']}.")
        if not self._may_edit(by, target):
            return _refused(f"{by['name']} may not edit {target['name']}.")
        if target is folder or folder in _above(self.folders, target, "parent_id"):
            return _refused(f"{folder['name']} cannot be moved into itself.")
        if any(
            f["name"].lower() == title.lower()
            for f in self._folders_by_parent.get(target["id"], {}).values()
            if f is not folder
        ):
            return _refused(f"{target['name']} has a folder {title} already.")
        if (
            self._depth(target)
            + 1
            + max(
                0,
                max(
                    (self._depth(f) - self._depth(folder) for f in _below(self._folders_by_parent, folder)),
                    default=None,
                ) if max(
                    (self._depth(f) - self._depth(folder) for f in _below(self._folders_by_parent, folder)),
                    default=None,
                ) is not None else 0,
            ) > 6
        ):
            return _refused(f"The folders in {folder['name']} would be nested more than 6 deep in {target['name']}.")
        done = f"move folder {folder['name']} for {by['name']}"
        if into is not None and name is not None:
            done += f" to {into['name']}"
        if name is not None:
            done += f" as {name}"
        self._journal = []
        changed_files: list[Any] = []
        self._put("folders", folder, "parent_id", target["id"])
        self._put("folders", folder, "name", title)
        for f in [
            f
            for f in self.files.values()
            if f["locked_by_id"] is not None
            and not self._may_edit(self.users[f["locked_by_id"]], self.folders[f["folder_id"]])
        ]:
            changed_files.append(f)
            self._put("files", f, "locked_by_id", None)
        if self._breaks_rule_1(folder):
            return self._take_back(RULES[0])
        for one_folder in _distinct([folder, *_below(self._folders_by_parent, folder)]):
            if self._breaks_rule_2(one_folder):
                return self._take_back(RULES[1])
        if self._breaks_rule_3(folder):
            return self._take_back(RULES[2])
        for one_file in _distinct(changed_files):
            if self._breaks_rule_8(one_file):
                return self._take_back(RULES[7])
        for one_file in _distinct(
            [
                *self._files_by_folder.get(folder["id"], {}).values(),
                *[
                    user
                    for one in _below(self._folders_by_parent, folder)
                    for user in self._files_by_folder.get(one["id"], {}).values()
                ],
                *changed_files,
            ]
        ):
            if self._breaks_rule_9(one_file):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def delete_folder(self, by_id: str, folder_id: str) -> Result:
        """Delete an empty folder and the grants on it.

        Args:
            by_id (str): User who deletes it, able to manage the folder; an id such as USER-00001.
            folder_id (str): Id of the folder, such as FOLDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.users.get(by_id)
        if by is None:
            return _refused(f"There is no user {by_id!r}.")
        folder = self.folders.get(folder_id)
        if folder is None:
            return _refused(f"There is no folder {folder_id!r}.")
        if folder["parent_id"] is None:
            return _refused(f"{folder['name']} is a top folder and cannot be deleted.")
        if not self._may_manage(by, folder):
            return _refused(f"{by['name']} may not manage {folder['name']}.")
        inside = next((f for f in sorted(self._folders_by_parent.get(folder_id, {}).values(), key=_age)), None)
        if inside is not None:
            return _refused(f"{folder['name']} holds the folder {inside['name']}.")
        left = next((f for f in sorted(self._files_by_folder.get(folder_id, {}).values(), key=_age)), None)
        if left is not None:
            return _refused(f"{folder['name']} holds {left['name']}, which may be in the trash.")
        self._journal = []
        deleted_grants: list[Any] = []
        for g in sorted(self._grants_by_folder.get(folder_id, {}).values(), key=_age):
            if g["id"] in self.grants:
                self._remove("grants", g)
            deleted_grants.append(g)
        if folder["id"] in self.folders:
            self._remove("folders", folder)
        users = len(self._folders_by_parent.get(folder["id"], {}))
        if users:
            return self._take_back(
                f"Folder {folder['name']} is still used by {users} {'folder' if users == 1 else 'folders'}."
            )
        users = len(self._files_by_folder.get(folder["id"], {}))
        if users:
            return self._take_back(
                f"Folder {folder['name']} is still used by {users} {'file' if users == 1 else 'files'}."
            )
        users = len(self._grants_by_folder.get(folder["id"], {}))
        if users:
            return self._take_back(
                f"Folder {folder['name']} is still used by {users} {'grant' if users == 1 else 'grants'}."
            )
        if any(self._breaks_rule_2(one_folder) for one_folder in self.folders.values()):
            return self._take_back(RULES[1])
        for one_file in _distinct(self._files_by_folder.get(folder["id"], {}).values()):
            if self._breaks_rule_6(one_file):
                return self._take_back(RULES[5])
        if any(self._breaks_rule_9(one_file) for one_file in self.files.values()):
            return self._take_back(RULES[8])
        for one_grant in _distinct(self._grants_by_folder.get(folder["id"], {}).values()):
            if one_grant["id"] in self.grants and self._breaks_rule_10(one_grant):
                return self._take_back(RULES[9])
        return {"success": True, "message": f"Done: delete folder {folder['name']}.", "data": self._changes()}

    def save_file(
        self,
        by_id: str,
        folder_id: str,
        name: Text,
        size: Annotated[int, {"minimum": 1, "maximum": 2000}],
        note: Text | None = None,
    ) -> Result:
        """Save a file in a folder, as a new version when a file of that name is there; the oldest version beyond what
        the folder keeps is dropped.

        Args:
            by_id (str): User who saves it, able to edit the folder; an id such as USER-00001.
            folder_id (str): Id of the folder, such as FOLDER-00001.
            name (str): Name of the file, new or existing in the folder.
            size (int): Size of the version, in MB, from 1 to 2000.
            note (str, optional): Remark on the version. If left out, no remark is kept.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.users.get(by_id)
        if by is None:
            return _refused(f"There is no user {by_id!r}.")
        folder = self.folders.get(folder_id)
        if folder is None:
            return _refused(f"There is no folder {folder_id!r}.")
        if not self._may_edit(by, folder):
            return _refused(f"{by['name']} may not edit {folder['name']}.")
        file = self._namesake(folder, name)
        if file is not None and file["locked_by_id"] is not None and file["locked_by_id"] != by_id:
            return _refused(f"{name} is locked by {self.users[file['locked_by_id']]['name']}.")
        payer = self.users[file["owner_id"]] if file is not None else by
        if self._user_used(payer) + size > payer["quota"]:
            return _refused(f"{payer['name']} has {payer['quota'] - self._user_used(payer)} MB left, not {size}.")
        self._journal = []
        added_files: list[Any] = []
        added_versions: list[Any] = []
        deleted_versions: list[Any] = []
        if file is None:
            fresh = {
                "id": self._new_id("file", "FILE", self.files),
                "name": name,
                "folder_id": folder_id,
                "owner_id": by_id,
                "locked_by_id": None,
                "trashed_on": None,
                "trashed_by_id": None,
            }
            self._add("files", fresh)
            added_files.append(fresh)
            version = {
                "id": self._new_id("version", "VERSION", self.versions),
                "file_id": fresh["id"],
                "number": 1,
                "size": size,
                "saved_by_id": by_id,
                "saved_at": self.now,
                "note": note,
            }
            self._add("versions", version)
            added_versions.append(version)
        else:
            number = (self._file_latest(file) if self._file_latest(file) is not None else 0) + 1
            if not 1 <= number <= 10000:
                return self._take_back("The number of a version must be between 1 and 10000.")
            new_version = {
                "id": self._new_id("version", "VERSION", self.versions),
                "file_id": file["id"],
                "number": number,
                "size": size,
                "saved_by_id": by_id,
                "saved_at": self.now,
                "note": note,
            }
            self._add("versions", new_version)
            added_versions.append(new_version)
            for v in sorted(
                self._versions_by_file.get(file["id"], {}).values(),
                key=lambda v: (v["number"], _age(v)),
            )[: max(max(0, self._file_versions(file) - folder["keeps"]), 0)]:
                if v["id"] in self.versions:
                    self._remove("versions", v)
                deleted_versions.append(v)
        for one_file in _distinct(added_files):
            if self._breaks_rule_4(one_file):
                return self._take_back(RULES[3])
        for one_user in _distinct(
            [
                *[self.users[one["owner_id"]] for one in [self.files[one["file_id"]] for one in added_versions]],
                *[self.users[one["owner_id"]] for one in [self.files[one["file_id"]] for one in deleted_versions]],
            ]
        ):
            if self._breaks_rule_5(one_user):
                return self._take_back(RULES[4])
        for one_file in _distinct(
            [
                *added_files,
                *[self.files[one["file_id"]] for one in added_versions],
                *[self.files[one["file_id"]] for one in deleted_versions],
            ]
        ):
            if self._breaks_rule_6(one_file):
                return self._take_back(RULES[5])
        for one_version in _distinct(added_versions):
            if one_version["id"] in self.versions and self._breaks_rule_7(one_version):
                return self._take_back(RULES[6])
        for one_file in _distinct(added_files):
            if self._breaks_rule_8(one_file):
                return self._take_back(RULES[7])
        for one_file in _distinct(added_files):
            if self._breaks_rule_9(one_file):
                return self._take_back(RULES[8])
        done = f"save {name} with {size} MB in {folder['name']} for {by['name']}"
        if note is not None:
            done += f" noting {note}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def revert_file(self, by_id: str, version_id: str) -> Result:
        """Make an older version of a file the newest one again.

        Args:
            by_id (str): User who does it, able to edit the folder; an id such as USER-00001.
            version_id (str): Id of the version, such as VERSION-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.users.get(by_id)
        if by is None:
            return _refused(f"There is no user {by_id!r}.")
        version = self.versions.get(version_id)
        if version is None:
            return _refused(f"There is no version {version_id!r}.")
        file = self.files[version["file_id"]]
        if file["trashed_on"] is not None:
            return _refused(f"{file['name']} is in the trash.")
        if not self._may_edit(by, self.folders[file["folder_id"]]):
            return _refused(f"{by['name']} may not edit {self.folders[file['folder_id']]['name']}.")
        if file["locked_by_id"] is not None and file["locked_by_id"] != by_id:
            return _refused(f"{file['name']} is locked by {self.users[file['locked_by_id']]['name']}.")
        if version["number"] == self._file_latest(file):
            return _refused(f"Version {version['number']} of {file['name']} is the newest one.")
        if self._user_used(self.users[file["owner_id"]]) + version["size"] > self.users[file["owner_id"]]["quota"]:
            return _refused(
                f"{self.users[file['owner_id']]['name']} has "
                f"{self.users[file['owner_id']]['quota'] - self._user_used(self.users[file['owner_id']])} MB "
                f"left, not {version['size']}."
            )
        done = f"go back to version {version['number']} of {self.files[version['file_id']]['name']} for {by['name']}"
        self._journal = []
        deleted_versions: list[Any] = []
        number = (self._file_latest(file) if self._file_latest(file) is not None else 0) + 1
        if not 1 <= number <= 10000:
            return self._take_back("The number of a version must be between 1 and 10000.")
        new_version: Version = {
            "id": self._new_id("version", "VERSION", self.versions),
            "file_id": file["id"],
            "number": number,
            "size": version["size"],
            "saved_by_id": by_id,
            "saved_at": self.now,
            "note": version["note"],
        }
        self._add("versions", new_version)
        for v in sorted(
            self._versions_by_file.get(file["id"], {}).values(),
            key=lambda v: (v["number"], _age(v)),
        )[: max(max(0, self._file_versions(file) - self.folders[file["folder_id"]]["keeps"]), 0)]:
            if v["id"] in self.versions:
                self._remove("versions", v)
            deleted_versions.append(v)
        for one_user in _distinct(
            [
                self.users[self.files[new_version["file_id"]]["owner_id"]],
                *[self.users[one["owner_id"]] for one in [self.files[one["file_id"]] for one in deleted_versions]],
            ]
        ):
            if self._breaks_rule_5(one_user):
                return self._take_back(RULES[4])
        for one_file in _distinct(
            [self.files[new_version["file_id"]], *[self.files[one["file_id"]] for one in deleted_versions]]
        ):
            if self._breaks_rule_6(one_file):
                return self._take_back(RULES[5])
        for one_version in _distinct([new_version]):
            if one_version["id"] in self.versions and self._breaks_rule_7(one_version):
                return self._take_back(RULES[6])
        return {
            "success": True,
            "message": f"Done: {done} (new: version {new_version['id']}).",
            "data": {"version_id": new_version["id"], **self._changes()},
        }

    def move_file(self, by_id: str, file_id: str, into_id: str | None = None, name: Text | None = None) -> Result:
        """Move a file to another folder, or rename it; versions beyond what that folder keeps are dropped.

        Args:
            by_id (str): User who does it, able to edit both folders; an id such as USER-00001.
            file_id (str): Id of the file, such as FILE-00001.
            into_id (str, optional): Folder that takes the file; an id such as FOLDER-00001. If left out, the file
                stays where it is.
            name (str, optional): New name of the file. If left out, the name stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.users.get(by_id)
        if by is None:
            return _refused(f"There is no user {by_id!r}.")
        file = self.files.get(file_id)
        if file is None:
            return _refused(f"There is no file {file_id!r}.")
        into = self.folders.get(into_id) if into_id is not None else None
        if into_id is not None and into is None:
            return _refused(f"There is no folder {into_id!r}.")
        if file["trashed_on"] is not None:
            return _refused(f"{file['name']} is in the trash.")
        target = into or self.folders[file["folder_id"]]
        title = name if name is not None else file["name"]
        if target["id"] == file["folder_id"] and title == file["name"]:
            return _refused(f"{file['name']} lies in {target['name']} already.")
        if not self._may_edit(by, self.folders[file["folder_id"]]):
            return _refused(f"{by['name']} may not edit {self.folders[file['folder_id']]['name']}.")
        if not self._may_edit(by, target):
            return _refused(f"{by['name']} may not edit {target['name']}.")
        if file["locked_by_id"] is not None and file["locked_by_id"] != by_id:
            return _refused(f"{file['name']} is locked by {self.users[file['locked_by_id']]['name']}.")
        other = self._namesake(target, title)
        if other is not None and other is not file:
            return _refused(f"{target['name']} has a file {title} already.")
        done = f"move {file['name']} for {by['name']}"
        if into is not None and name is not None:
            done += f" to {into['name']}"
        if name is not None:
            done += f" as {name}"
        self._journal = []
        deleted_versions: list[Any] = []
        self._put("files", file, "folder_id", target["id"])
        self._put("files", file, "name", title)
        for v in sorted(
            self._versions_by_file.get(file_id, {}).values(),
            key=lambda v: (v["number"], _age(v)),
        )[: max(max(0, self._file_versions(file) - target["keeps"]), 0)]:
            if v["id"] in self.versions:
                self._remove("versions", v)
            deleted_versions.append(v)
        if self._breaks_rule_4(file):
            return self._take_back(RULES[3])
        for one_user in _distinct(
            [self.users[one["owner_id"]] for one in [self.files[one["file_id"]] for one in deleted_versions]]
        ):
            if self._breaks_rule_5(one_user):
                return self._take_back(RULES[4])
        for one_file in _distinct([file, *[self.files[one["file_id"]] for one in deleted_versions]]):
            if self._breaks_rule_6(one_file):
                return self._take_back(RULES[5])
        if self._breaks_rule_9(file):
            return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def lock_file(self, by_id: str, file_id: str) -> Result:
        """Lock a file so that only one person can change it.

        Args:
            by_id (str): User who gets the lock, able to edit the folder; an id such as USER-00001.
            file_id (str): Id of the file, such as FILE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.users.get(by_id)
        if by is None:
            return _refused(f"There is no user {by_id!r}.")
        file = self.files.get(file_id)
        if file is None:
            return _refused(f"There is no file {file_id!r}.")
        if file["trashed_on"] is not None:
            return _refused(f"{file['name']} is in the trash.")
        if not self._may_edit(by, self.folders[file["folder_id"]]):
            return _refused(f"{by['name']} may not edit {self.folders[file['folder_id']]['name']}.")
        if file["locked_by_id"] is not None:
            return _refused(f"{file['name']} is locked by {self.users[file['locked_by_id']]['name']}.")
        self._journal = []
        self._put("files", file, "locked_by_id", by_id)
        if self._breaks_rule_8(file):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(file):
            return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: lock {file['name']} for {by['name']}.", "data": self._changes()}

    def unlock_file(self, by_id: str, file_id: str) -> Result:
        """Release the lock of a file, by its holder or by somebody who manages the folder.

        Args:
            by_id (str): Holder of the lock, or a user who manages the folder; an id such as USER-00001.
            file_id (str): Id of the file, such as FILE-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.users.get(by_id)
        if by is None:
            return _refused(f"There is no user {by_id!r}.")
        file = self.files.get(file_id)
        if file is None:
            return _refused(f"There is no file {file_id!r}.")
        if file["locked_by_id"] is None:
            return _refused(f"{file['name']} is not locked.")
        if not (file["locked_by_id"] == by_id or self._may_manage(by, self.folders[file["folder_id"]])):
            return _refused(
                f"{file['name']} is locked by {self.users[file['locked_by_id']]['name']}, and {by['name']} does "
                f"not manage {self.folders[file['folder_id']]['name']}."
            )
        self._journal = []
        self._put("files", file, "locked_by_id", None)
        if self._breaks_rule_8(file):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(file):
            return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: unlock {file['name']}.", "data": self._changes()}

    def delete_file(self, by_id: str, file_id: str, for_ever: bool = False) -> Result:
        """Put a file in the trash, or delete one that is in the trash for ever, which frees its storage.

        Args:
            by_id (str): User who deletes it, the owner or a manager where it is for ever; an id such as
                USER-00001.
            file_id (str): Id of the file, such as FILE-00001.
            for_ever (bool): Whether a file that is in the trash is deleted for ever. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.users.get(by_id)
        if by is None:
            return _refused(f"There is no user {by_id!r}.")
        file = self.files.get(file_id)
        if file is None:
            return _refused(f"There is no file {file_id!r}.")
        if not self._may_edit(by, self.folders[file["folder_id"]]):
            return _refused(f"{by['name']} may not edit {self.folders[file['folder_id']]['name']}.")
        if not (for_ever or file["trashed_on"] is None):
            return _refused(f"{file['name']} has been in the trash since {file['trashed_on']}.")
        if for_ever and file["trashed_on"] is None:
            return _refused(f"{file['name']} must be put in the trash first.")
        if not (not for_ever or by_id == file["owner_id"] or self._may_manage(by, self.folders[file["folder_id"]])):
            return _refused(
                f"Only {self.users[file['owner_id']]['name']} or somebody who manages "
                f"{self.folders[file['folder_id']]['name']} deletes {file['name']} for ever."
            )
        if file["locked_by_id"] is not None and file["locked_by_id"] != by_id:
            return _refused(f"{file['name']} is locked by {self.users[file['locked_by_id']]['name']}.")
        self._journal = []
        deleted_versions: list[Any] = []
        deleted_files: list[Any] = []
        changed_files: list[Any] = []
        changed_files_2: list[Any] = []
        changed_files_3: list[Any] = []
        if for_ever:
            for v in sorted(self._versions_by_file.get(file_id, {}).values(), key=_age):
                if v["id"] in self.versions:
                    self._remove("versions", v)
                deleted_versions.append(v)
            if file["id"] in self.files:
                self._remove("files", file)
            deleted_files.append(file)
        else:
            changed_files.append(file)
            if file["id"] in self.files:
                self._put("files", file, "locked_by_id", None)
            changed_files_2.append(file)
            if file["id"] in self.files:
                self._put("files", file, "trashed_on", self.now[:10])
            changed_files_3.append(file)
            if file["id"] in self.files:
                self._put("files", file, "trashed_by_id", by_id)
        for one_file in deleted_files:
            users = len(self._versions_by_file.get(one_file["id"], {}))
            if users:
                return self._take_back(
                    f"File {one_file['name']} is still used by {users} {'version' if users == 1 else 'versions'}."
                )
        for one_file_2 in _distinct(changed_files_2):
            if one_file_2["id"] in self.files and self._breaks_rule_4(one_file_2):
                return self._take_back(RULES[3])
        for one_user in _distinct(
            [
                *[
                    self.users[one["owner_id"]]
                    for one in [self.files.get(one["file_id"]) for one in deleted_versions]
                    if one is not None
                ],
                *[self.users[one["owner_id"]] for one in deleted_files],
            ]
        ):
            if self._breaks_rule_5(one_user):
                return self._take_back(RULES[4])
        for one_file_2 in _distinct([self.files.get(one["file_id"]) for one in deleted_versions]):
            if one_file_2["id"] in self.files and self._breaks_rule_6(one_file_2):
                return self._take_back(RULES[5])
        for one_file_2 in _distinct([*changed_files, *changed_files_2, *changed_files_3]):
            if one_file_2["id"] in self.files and self._breaks_rule_8(one_file_2):
                return self._take_back(RULES[7])
        for one_file_2 in _distinct(changed_files):
            if one_file_2["id"] in self.files and self._breaks_rule_9(one_file_2):
                return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: delete {file['name']} for {by['name']}.", "data": self._changes()}

    def restore_file(self, by_id: str, file_id: str, name: Text | None = None) -> Result:
        """Take a file out of the trash, under another name when its own is taken.

        Args:
            by_id (str): User who restores it, able to edit the folder; an id such as USER-00001.
            file_id (str): Id of the file, such as FILE-00001.
            name (str, optional): Name of the file, needed where its own is taken by now. If left out, the file
                keeps its name.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.users.get(by_id)
        if by is None:
            return _refused(f"There is no user {by_id!r}.")
        file = self.files.get(file_id)
        if file is None:
            return _refused(f"There is no file {file_id!r}.")
        if file["trashed_on"] is None:
            return _refused(f"{file['name']} is not in the trash.")
        if not self._may_edit(by, self.folders[file["folder_id"]]):
            return _refused(f"{by['name']} may not edit {self.folders[file['folder_id']]['name']}.")
        title = name if name is not None else file["name"]
        if self._namesake(self.folders[file["folder_id"]], title) is not None:
            return _refused(
                f"{self.folders[file['folder_id']]['name']} has a file {title} already, so give another name."
            )
        done = f"restore {file['name']} for {by['name']}"
        if name is not None:
            done += f" as {name}"
        self._journal = []
        self._put("files", file, "name", title)
        self._put("files", file, "trashed_on", None)
        self._put("files", file, "trashed_by_id", None)
        if self._breaks_rule_4(file):
            return self._take_back(RULES[3])
        if self._breaks_rule_8(file):
            return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def hand_over_file(self, by_id: str, file_id: str, heir_id: str) -> Result:
        """Make somebody else the owner of a file, with all its versions on their quota.

        Args:
            by_id (str): Owner of the file, or a user who manages the folder; an id such as USER-00001.
            file_id (str): Id of the file, such as FILE-00001.
            heir_id (str): User who becomes the owner, able to edit the folder; an id such as USER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.users.get(by_id)
        if by is None:
            return _refused(f"There is no user {by_id!r}.")
        file = self.files.get(file_id)
        if file is None:
            return _refused(f"There is no file {file_id!r}.")
        heir = self.users.get(heir_id)
        if heir is None:
            return _refused(f"There is no user {heir_id!r}.")
        if not (by_id == file["owner_id"] or self._may_manage(by, self.folders[file["folder_id"]])):
            return _refused(
                f"Only {self.users[file['owner_id']]['name']} or somebody who manages "
                f"{self.folders[file['folder_id']]['name']} hands {file['name']} over."
            )
        if heir_id == file["owner_id"]:
            return _refused(f"{heir['name']} owns {file['name']} already.")
        if not self._may_edit(heir, self.folders[file["folder_id"]]):
            return _refused(
                f"{heir['name']} may not edit {self.folders[file['folder_id']]['name']}, so give access first."
            )
        if self._user_used(heir) + self._file_stored(file) > heir["quota"]:
            return _refused(
                f"{heir['name']} has {heir['quota'] - self._user_used(heir)} MB left, not {self._file_stored(file)}."
            )
        self._journal = []
        former_owner_id = file["owner_id"]
        self._put("files", file, "owner_id", heir_id)
        if self._breaks_rule_5(self.users[file["owner_id"]]):
            return self._take_back(RULES[4])
        if self._breaks_rule_5(self.users[former_owner_id]):
            return self._take_back(RULES[4])
        return {
            "success": True,
            "message": f"Done: hand {file['name']} over to {heir['name']} as {by['name']}.",
            "data": self._changes(),
        }

    def set_access(
        self,
        by_id: str,
        folder_id: str,
        user_id: str | None = None,
        team_id: str | None = None,
        level: Literal["viewer", "editor", "manager"] | None = None,
    ) -> Result:
        """Give a person or a team access to a folder and all it holds, change it, or take it away when no level is
        given; locks of people who lose the right to edit are released.

        Args:
            by_id (str): User who does it, able to manage the folder; an id such as USER-00001.
            folder_id (str): Id of the folder, such as FOLDER-00001.
            user_id (str, optional): Person whose access changes, where no team is named; an id such as USER-00001.
                If left out, a team must be named.
            team_id (str, optional): Team whose access changes, where no person is named; an id such as TEAM-00001.
                If left out, a person must be named.
            level (str, optional): Level of access from now on: viewer, editor or manager. If left out, the access
                is taken away.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.users.get(by_id)
        if by is None:
            return _refused(f"There is no user {by_id!r}.")
        folder = self.folders.get(folder_id)
        if folder is None:
            return _refused(f"There is no folder {folder_id!r}.")
        user = self.users.get(user_id) if user_id is not None else None
        if user_id is not None and user is None:
            return _refused(f"There is no user {user_id!r}.")
        team = self.teams.get(team_id) if team_id is not None else None
        if team_id is not None and team is None:
            return _refused(f"There is no team {team_id!r}.")
        if not self._may_manage(by, folder):
            return _refused(f"{by['name']} may not manage {folder['name']}.")
        if (user_id is None) == (team_id is None):
            return _refused("Name either a person or a team.")
        if user_id is not None and user_id == folder["owner_id"]:
            return _refused(f"{user['name']} owns {folder['name']}.")
        grant = next(
            (
                g
                for g in sorted(
                    self._grants_by_folder_user_team.get((folder_id, user_id, team_id), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if level is None and grant is None:
            return _refused(f"There is no such access to {folder['name']} that could be taken away.")
        if grant is not None and grant["level"] == level:
            return _refused(f"The access to {folder['name']} is {grant['level']} already.")
        self._journal = []
        added_grants: list[Any] = []
        deleted_grants: list[Any] = []
        changed_grants: list[Any] = []
        changed_files: list[Any] = []
        if grant is None:
            if level is not None:
                new_grant = {
                    "id": self._new_id("grant", "GRANT", self.grants),
                    "folder_id": folder_id,
                    "user_id": user_id,
                    "team_id": team_id,
                    "level": level,
                    "given_by_id": by_id,
                }
                self._add("grants", new_grant)
                added_grants.append(new_grant)
        else:
            if level is None:
                if grant["id"] in self.grants:
                    self._remove("grants", grant)
                deleted_grants.append(grant)
            else:
                changed_grants.append(grant)
                if grant["id"] in self.grants:
                    self._put("grants", grant, "level", level)
                if grant["id"] in self.grants:
                    self._put("grants", grant, "given_by_id", by_id)
        for f in [
            f
            for f in self.files.values()
            if f["locked_by_id"] is not None
            and not self._may_edit(self.users[f["locked_by_id"]], self.folders[f["folder_id"]])
        ]:
            changed_files.append(f)
            self._put("files", f, "locked_by_id", None)
        for one_file in _distinct(changed_files):
            if self._breaks_rule_8(one_file):
                return self._take_back(RULES[7])
        for one_file in _distinct(
            [
                *[
                    user
                    for one in [self.folders[one["folder_id"]] for one in added_grants]
                    for user in self._files_by_folder.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [self.folders[one["folder_id"]] for one in added_grants]
                        for user in _below(self._folders_by_parent, one)
                    ]
                    for user in self._files_by_folder.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.folders[one["folder_id"]] for one in deleted_grants]
                    for user in self._files_by_folder.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [self.folders[one["folder_id"]] for one in deleted_grants]
                        for user in _below(self._folders_by_parent, one)
                    ]
                    for user in self._files_by_folder.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [self.folders[one["folder_id"]] for one in changed_grants]
                    for user in self._files_by_folder.get(one["id"], {}).values()
                ],
                *[
                    user
                    for one in [
                        user
                        for one in [self.folders[one["folder_id"]] for one in changed_grants]
                        for user in _below(self._folders_by_parent, one)
                    ]
                    for user in self._files_by_folder.get(one["id"], {}).values()
                ],
                *changed_files,
            ]
        ):
            if self._breaks_rule_9(one_file):
                return self._take_back(RULES[8])
        for one_grant in _distinct(added_grants):
            if one_grant["id"] in self.grants and self._breaks_rule_10(one_grant):
                return self._take_back(RULES[9])
        for one_grant in _distinct(added_grants):
            if one_grant["id"] in self.grants and self._breaks_rule_11(one_grant):
                return self._take_back(RULES[10])
        done = f"set the access to {folder['name']} as {by['name']}"
        if user is not None:
            done += f" for {user['name']}"
        if team is not None:
            done += f" for team {team['name']}"
        if level is not None:
            done += f" to {level}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def _show_user(self, user: User) -> dict[str, Any]:
        """The user as an answer shows it."""
        return {**user, "used": self._user_used(user)}

    def _show_team(self, team: Team) -> dict[str, Any]:
        """The team as an answer shows it."""
        return {**team, "member_ids": [*team["member_ids"]]}

    def _show_folder(self, folder: Folder) -> dict[str, Any]:
        """The folder as an answer shows it."""
        return {**folder, "files": self._folder_files(folder)}

    def _show_file(self, file: File) -> dict[str, Any]:
        """The file as an answer shows it."""
        return {
            **file,
            "trashed": self._file_trashed(file),
            "versions": self._file_versions(file),
            "latest": self._file_latest(file),
            "stored": self._file_stored(file),
        }

    def _names_of_teams(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that teams point to."""
        return _names((self.users, "name", [each for row in shown for each in row["member_ids"]]))

    def _names_of_folders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that folders point to."""
        return _names(
            (self.folders, "name", [row["parent_id"] for row in shown]),
            (self.users, "name", [row["owner_id"] for row in shown]),
        )

    def _names_of_files(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that files point to."""
        return _names(
            (self.folders, "name", [row["folder_id"] for row in shown]),
            (self.users, "name", [row["owner_id"] for row in shown]),
            (self.users, "name", [row["locked_by_id"] for row in shown]),
            (self.users, "name", [row["trashed_by_id"] for row in shown]),
        )

    def _names_of_versions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that versions point to."""
        return _names(
            (self.files, "name", [row["file_id"] for row in shown]),
            (self.users, "name", [row["saved_by_id"] for row in shown]),
        )

    def _names_of_grants(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that grants point to."""
        return _names(
            (self.folders, "name", [row["folder_id"] for row in shown]),
            (self.users, "name", [row["user_id"] for row in shown]),
            (self.teams, "name", [row["team_id"] for row in shown]),
            (self.users, "name", [row["given_by_id"] for row in shown]),
        )

    def _user_used(self, user: User) -> int:
        """The used of an user."""
        return sum(
            v["size"]
            for _file in self._files_by_owner.get(user["id"], {}).values()
            for v in self._versions_by_file.get(_file["id"], {}).values()
        )

    def _folder_files(self, folder: Folder) -> int:
        """The files of a folder."""
        return sum(1 for f in self._files_by_folder.get(folder["id"], {}).values() if f["trashed_on"] is None)

    def _file_trashed(self, file: File) -> bool:
        """The trashed of a file."""
        return file["trashed_on"] is not None

    def _file_versions(self, file: File) -> int:
        """The versions of a file."""
        return len(self._versions_by_file.get(file["id"], {}))

    def _file_latest(self, file: File) -> int | None:
        """The latest of a file."""
        return max((v["number"] for v in self._versions_by_file.get(file["id"], {}).values()), default=None)

    def _file_stored(self, file: File) -> int:
        """The stored of a file."""
        return sum(v["size"] for v in self._versions_by_file.get(file["id"], {}).values())

    def _path(self, f: Folder) -> list[Folder]:
        return [f] + _above(self.folders, f, "parent_id")

    def _depth(self, f: Folder) -> int:
        return len(_above(self.folders, f, "parent_id")) + 1

    def _reaches(self, g: Grant, u: User) -> bool:
        return (
            g["user_id"] == u["id"]
            or g["team_id"] is not None and u["id"] in self.teams[g["team_id"]]["member_ids"]
        )

    def _may_view(self, u: User, f: Folder) -> bool:
        return any(
            p["owner_id"] == u["id"]
            or any(self._reaches(g, u) for g in self._grants_by_folder.get(p["id"], {}).values())
            for p in self._path(f)
        )

    def _may_edit(self, u: User, f: Folder) -> bool:
        return any(
            p["owner_id"] == u["id"]
            or any(
                self._reaches(g, u)
                and g["level"] != "viewer"
                for g in self._grants_by_folder.get(p["id"], {}).values()
            )
            for p in self._path(f)
        )

    def _may_manage(self, u: User, f: Folder) -> bool:
        return any(
            p["owner_id"] == u["id"]
            or any(
                self._reaches(g, u)
                and g["level"] == "manager"
                for g in self._grants_by_folder.get(p["id"], {}).values()
            )
            for p in self._path(f)
        )

    def _namesake(self, f: Folder, name: str) -> File | None:
        return next(
            (
                x
                for x in sorted(self._files_by_folder.get(f["id"], {}).values(), key=_age)
                if x["trashed_on"] is None
                and x["name"].lower() == name.lower()
            ),
            None,
        )

    def _breaks_rule_1(self, f: Folder) -> bool:
        """Whether this is broken: no folder lies inside itself."""
        return f in _above(self.folders, f, "parent_id")

    def _breaks_rule_2(self, f: Folder) -> bool:
        """Whether this is broken: folders are nested at most 6 deep."""
        return self._depth(f) > 6

    def _breaks_rule_3(self, f: Folder) -> bool:
        """Whether this is broken: folders that lie side by side have different names, whatever the case."""
        return any(
            other_f is not f
            for other_f in self._folders_by_parent.get(f["parent_id"], {}).values()
            if other_f["name"].lower() == f["name"].lower()
        )

    def _breaks_rule_4(self, f: File) -> bool:
        """Whether this is broken: files in one folder have different names, whatever the case, except those in the
        trash.
        """
        return (
            f["trashed_on"] is None
            and any(
                other_f is not f
                for other_f in self._files_by_folder.get(f["folder_id"], {}).values()
                if other_f["name"].lower() == f["name"].lower()
                and other_f["trashed_on"] is None
            )
        )

    def _breaks_rule_5(self, u: User) -> bool:
        """Whether this is broken: nobody's files, with all versions and those in the trash, take more than their
        quota.
        """
        return self._user_used(u) > u["quota"]

    def _breaks_rule_6(self, f: File) -> bool:
        """Whether this is broken: a file has at least one version and at most as many as its folder keeps."""
        return 1 > self._file_versions(f) or self._file_versions(f) > self.folders[f["folder_id"]]["keeps"]

    def _breaks_rule_7(self, v: Version) -> bool:
        """Whether this is broken: the versions of a file have different numbers."""
        return any(
            other_v is not v
            for other_v in self._versions_by_file.get(v["file_id"], {}).values()
            if other_v["number"] == v["number"]
        )

    def _breaks_rule_8(self, f: File) -> bool:
        """Whether this is broken: a file in the trash is not locked, and it is known who put it there."""
        return not (
            (f["trashed_on"] is None) == (f["trashed_by_id"] is None)
            and (f["trashed_on"] is None or f["locked_by_id"] is None)
        )

    def _breaks_rule_9(self, f: File) -> bool:
        """Whether this is broken: only somebody who may edit a file holds its lock."""
        return not (
            f["locked_by_id"] is None
            or self._may_edit(self.users[f["locked_by_id"]], self.folders[f["folder_id"]])
        )

    def _breaks_rule_10(self, g: Grant) -> bool:
        """Whether this is broken: a grant is for a person or for a team, never for both, and never for the folder's
        owner.
        """
        return (
            (g["user_id"] is None) == (g["team_id"] is None)
            or g["user_id"] == self.folders[g["folder_id"]]["owner_id"]
        )

    def _breaks_rule_11(self, g: Grant) -> bool:
        """Whether this is broken: a folder has one grant for each person and each team."""
        return any(
            other_g is not g
            for other_g in self._grants_by_folder_user_team.get(
                (g["folder_id"], g["user_id"], g["team_id"]),
                {},
            ).values()
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
            case "folders":
                self._folders_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
            case "files":
                self._files_by_folder.setdefault(record["folder_id"], {})[record["id"]] = record
                self._files_by_owner.setdefault(record["owner_id"], {})[record["id"]] = record
            case "versions":
                self._versions_by_file.setdefault(record["file_id"], {})[record["id"]] = record
            case "grants":
                self._grants_by_folder.setdefault(record["folder_id"], {})[record["id"]] = record
                self._grants_by_folder_user_team.setdefault(
                    (record["folder_id"], record["user_id"], record["team_id"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "folders":
                del self._folders_by_parent[record["parent_id"]][record["id"]]
            case "files":
                del self._files_by_folder[record["folder_id"]][record["id"]]
                del self._files_by_owner[record["owner_id"]][record["id"]]
            case "versions":
                del self._versions_by_file[record["file_id"]][record["id"]]
            case "grants":
                del self._grants_by_folder[record["folder_id"]][record["id"]]
                del self._grants_by_folder_user_team[
                    record["folder_id"],
                    record["user_id"],
                    record["team_id"],
                ][record["id"]]
