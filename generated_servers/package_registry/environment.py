"""Package registry. Compiled from blueprint.yaml; run `envscaler build package_registry` after changing it there.

Runs the public package registry of a programming language, with versions and dependency ranges, yanking,
deprecation, the people behind packages, disputes over names and download quotas.
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
    "Every package has an owner, and nobody is listed twice among its people.",
    "Everybody who may publish a protected package uses a second factor.",
    "A version number is used once, even when it was yanked.",
    "Every dependency of a published version can be met by a published version.",
    "A version names each dependency once and never its own package.",
    "A yanked version says why, and no other one does.",
    "A package has at most one open dispute and is held exactly while it lasts.",
    "Nobody claims a package that they own.",
    "Only a deprecated package has a successor, and the path of successors never comes back.",
    "An organisation downloads no more in a month than its plan allows.",
    "The downloads of a version are counted once for each organisation.",
    "A decided dispute has a day, and an open one has none.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "create_package",
    "publish_version",
    "yank_version",
    "restore_version",
    "deprecate_package",
    "add_person",
    "remove_person",
    "enrol_second_factor",
    "open_dispute",
    "decide_dispute",
    "count_downloads",
    "change_plan",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "accounts": ("name",),
    "packages": ("name",),
    "versions": (),
    "dependencies": (),
    "organisations": ("name",),
    "downloads": (),
    "disputes": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("dependencies", "on_id"),
    ("dependencies", "version_id"),
    ("disputes", "package_id"),
    ("disputes", "status"),
    ("downloads", "organisation_id"),
    ("downloads", "version_id"),
    ("packages", "maintainer_ids"),
    ("packages", "name"),
    ("packages", "owner_ids"),
    ("versions", "package_id"),
    ("versions", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Account(TypedDict):
    id: str
    name: str
    joined_on: str
    second_factor: bool


class Package(TypedDict):
    id: str
    name: str
    protected: bool
    owner_ids: list[str]
    maintainer_ids: list[str]
    successor_id: str | None
    status: Literal["listed", "held", "deprecated"]


class Version(TypedDict):
    id: str
    package_id: str
    major: int
    minor: int
    patch: int
    published_by_id: str
    published_at: str
    size_kb: int
    yanked_for: str | None
    status: Literal["published", "yanked"]


class Dependency(TypedDict):
    id: str
    version_id: str
    on_id: str
    major: int
    from_minor: int


class Organisation(TypedDict):
    id: str
    name: str
    plan: Literal["free", "team", "business"]
    month: str | None
    used: int


class Download(TypedDict):
    id: str
    organisation_id: str
    version_id: str
    times: int


class Dispute(TypedDict):
    id: str
    package_id: str
    claimant_id: str
    reason: str
    opened_on: str
    decided_on: str | None
    status: Literal["open", "upheld", "rejected"]


class PublishVersionRequire(TypedDict):
    on_id: str
    major: Annotated[int, {"minimum": 0, "maximum": 999}]
    from_minor: Annotated[int, {"minimum": 0, "maximum": 999}]


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class PackageRegistry:
    """Runs the public package registry of a programming language, with versions and dependency ranges,
    yanking, deprecation, the people behind packages, disputes over names and download quotas.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.accounts: dict[str, Account] = _copied(config.get("accounts", {}))
        self.packages: dict[str, Package] = _copied(config.get("packages", {}))
        self.versions: dict[str, Version] = _copied(config.get("versions", {}))
        self.dependencies: dict[str, Dependency] = _copied(config.get("dependencies", {}))
        self.organisations: dict[str, Organisation] = _copied(config.get("organisations", {}))
        self.downloads: dict[str, Download] = _copied(config.get("downloads", {}))
        self.disputes: dict[str, Dispute] = _copied(config.get("disputes", {}))
        self.now: str = config.get("now", "2026-04-22T14:10")
        self.counters: dict[str, int] = {
            "account": len(self.accounts),
            "package": len(self.packages),
            "version": len(self.versions),
            "dependency": len(self.dependencies),
            "organisation": len(self.organisations),
            "download": len(self.downloads),
            "dispute": len(self.disputes),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._packages_by_lower_name: dict[Any, dict[str, Package]] = {}
        self._packages_by_maintainers: dict[Any, dict[str, Package]] = {}
        self._packages_by_name: dict[Any, dict[str, Package]] = {}
        self._packages_by_owners: dict[Any, dict[str, Package]] = {}
        self._versions_by_package: dict[Any, dict[str, Version]] = {}
        self._versions_by_package_status: dict[Any, dict[str, Version]] = {}
        self._dependencies_by_on: dict[Any, dict[str, Dependency]] = {}
        self._dependencies_by_version: dict[Any, dict[str, Dependency]] = {}
        self._dependencies_by_version_on: dict[Any, dict[str, Dependency]] = {}
        self._downloads_by_organisation_version: dict[Any, dict[str, Download]] = {}
        self._disputes_by_package: dict[Any, dict[str, Dispute]] = {}
        self._disputes_by_package_status: dict[Any, dict[str, Dispute]] = {}
        for package in self.packages.values():
            self._link("packages", package)
        for version in self.versions.values():
            self._link("versions", version)
        for dependency in self.dependencies.values():
            self._link("dependencies", dependency)
        for download in self.downloads.values():
            self._link("downloads", download)
        for dispute in self.disputes.values():
            self._link("disputes", dispute)

    def dependents(
        self,
        package_id: str,
        major: Annotated[int, {"minimum": 0, "maximum": 999}] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Which published versions depend on a package and what they resolve to at present.

        Args:
            package_id (str): Id of the package, such as PACKAGE-00001.
            major (int, optional): Major number that they need of the package, from 0 to 999. If left out,
                dependents on every major number are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "dependencies": records}} or {"success": False, "error":
                why not}
        """
        package = self.packages.get(package_id)
        if package is None:
            return _refused(f"There is no package {package_id!r}.")
        found = [
            d
            for d in self._dependencies_by_on.get(package_id, {}).values()
            if (d["on_id"] == package_id and self.versions[d["version_id"]]["status"] == "published")
            and (major is None or d["major"] == major)
        ]
        found.sort(
            key=lambda d: (
                self.packages[self.versions[d["version_id"]]["package_id"]]["name"],
                self._version_rank(self.versions[d["version_id"]]),
                _age(d),
            )
        )
        return _found(
            {
                "total": len(found),
                "dependencies": [
                    {
                        "package": self.packages[self.versions[d["version_id"]]["package_id"]]["name"],
                        "version_id": self.versions[d["version_id"]]["id"],
                        "needs_major": d["major"],
                        "needs_from_minor": d["from_minor"],
                        "resolved_by": _id_of(self._dependency_resolved_by(d)),
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def yank_impact(self, version_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Which dependencies would be left without any version if one version was yanked.

        Args:
            version_id (str): Id of the version, such as VERSION-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "dependencies": records}} or {"success": False, "error":
                why not}
        """
        version = self.versions.get(version_id)
        if version is None:
            return _refused(f"There is no version {version_id!r}.")
        found = [d for d in self._relies(version)]
        found.sort(
            key=lambda d: (
                self.packages[self.versions[d["version_id"]]["package_id"]]["name"],
                self._version_rank(self.versions[d["version_id"]]),
                _age(d),
            )
        )
        return _found(
            {
                "total": len(found),
                "dependencies": [
                    {
                        "package": self.packages[self.versions[d["version_id"]]["package_id"]]["name"],
                        "major": self.versions[d["version_id"]]["major"],
                        "minor": self.versions[d["version_id"]]["minor"],
                        "patch": self.versions[d["version_id"]]["patch"],
                    }
                    for d in _page(found, offset)
                ],
            }
        )

    def packages_of(self, account_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """The packages that somebody owns or maintains.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "packages": records}} or {"success": False, "error": why
                not}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        found = [
            p
            for p in _distinct(
                [
                    *self._packages_by_owners.get(account_id, {}).values(),
                    *self._packages_by_maintainers.get(account_id, {}).values(),
                ]
            )
        ]
        found.sort(key=lambda p: (p["name"], _age(p)))
        return _found(
            {
                "total": len(found),
                "packages": [
                    {
                        "id": p["id"],
                        "name": p["name"],
                        "status": p["status"],
                        "role": "owner" if account_id in p["owner_ids"] else "maintainer",
                        "owners": [*[a["name"] for a in [self.accounts[key] for key in p["owner_ids"]]]],
                        "last_release": self._last_release(p),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def list_accounts(
        self,
        name: Text | None = None,
        second_factor: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the accounts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only accounts whose name contains this text.
            second_factor (bool, optional): Only accounts with this value of `second_factor`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "accounts": records}}
        """
        found = [
            account
            for account in self.accounts.values()
            if (name is None or name.casefold() in account["name"].casefold())
            and (second_factor is None or account["second_factor"] == second_factor)
        ]
        return _found({"total": len(found), "accounts": [{**account} for account in _page(found, offset)]})

    def list_packages(
        self,
        name: Text | None = None,
        protected: bool | None = None,
        successor_id: str | None = None,
        status: Literal["listed", "held", "deprecated"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the packages, oldest first, all of them or only some.

        Args:
            name (str, optional): Only packages whose name contains this text.
            protected (bool, optional): Only packages that are protected (true) or not (false).
            successor_id (str, optional): Only packages whose successor is this package.
            status (str, optional): Only packages with this status.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "packages": records}}
        """
        if successor_id is not None and successor_id not in self.packages:
            return _refused(f"There is no package {successor_id!r}.")
        found = [
            package
            for package in self.packages.values()
            if (name is None or name.casefold() in package["name"].casefold())
            and (protected is None or package["protected"] == protected)
            and (successor_id is None or package["successor_id"] == successor_id)
            and (status is None or package["status"] == status)
        ]
        shown = [self._show_package(package) for package in _page(found, offset)]
        return _found({"total": len(found), "packages": shown}, self._names_of_packages(shown))

    def list_versions(
        self,
        package_id: str | None = None,
        published_by_id: str | None = None,
        status: Literal["published", "yanked"] | None = None,
        published_at_from: Date | None = None,
        published_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the versions, oldest first, all of them or only some.

        Args:
            package_id (str, optional): Only versions of this package.
            published_by_id (str, optional): Only versions published by this account.
            status (str, optional): Only versions with this status.
            published_at_from (str, optional): Only versions whose `published_at` is on this day or later.
            published_at_to (str, optional): Only versions whose `published_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "versions": records}}
        """
        if package_id is not None and package_id not in self.packages:
            return _refused(f"There is no package {package_id!r}.")
        if published_by_id is not None and published_by_id not in self.accounts:
            return _refused(f"There is no account {published_by_id!r}.")
        found = [
            version
            for version in self.versions.values()
            if (package_id is None or version["package_id"] == package_id)
            and (published_by_id is None or version["published_by_id"] == published_by_id)
            and (status is None or version["status"] == status)
            and (published_at_from is None or version["published_at"][:10] >= published_at_from)
            and (published_at_to is None or version["published_at"][:10] <= published_at_to)
        ]
        shown = [self._show_version(version) for version in _page(found, offset)]
        return _found({"total": len(found), "versions": shown}, self._names_of_versions(shown))

    def list_dependencies(
        self,
        version_id: str | None = None,
        on_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the dependencies, oldest first, all of them or only some.

        Args:
            version_id (str, optional): Only dependencies of this version.
            on_id (str, optional): Only dependencies on this package.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "dependencies": records}}
        """
        if version_id is not None and version_id not in self.versions:
            return _refused(f"There is no version {version_id!r}.")
        if on_id is not None and on_id not in self.packages:
            return _refused(f"There is no package {on_id!r}.")
        found = [
            dependency
            for dependency in self.dependencies.values()
            if (version_id is None or dependency["version_id"] == version_id)
            and (on_id is None or dependency["on_id"] == on_id)
        ]
        shown = [self._show_dependency(dependency) for dependency in _page(found, offset)]
        return _found({"total": len(found), "dependencies": shown}, self._names_of_dependencies(shown))

    def list_organisations(
        self,
        name: Text | None = None,
        plan: Literal["free", "team", "business"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the organisations, oldest first, all of them or only some.

        Args:
            name (str, optional): Only organisations whose name contains this text.
            plan (str, optional): Only organisations with this plan.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "organisations": records}}
        """
        found = [
            organisation
            for organisation in self.organisations.values()
            if (name is None or name.casefold() in organisation["name"].casefold())
            and (plan is None or organisation["plan"] == plan)
        ]
        return _found(
            {
                "total": len(found),
                "organisations": [self._show_organisation(organisation) for organisation in _page(found, offset)],
            }
        )

    def list_downloads(
        self,
        organisation_id: str | None = None,
        version_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the downloads, oldest first, all of them or only some.

        Args:
            organisation_id (str, optional): Only downloads of this organisation.
            version_id (str, optional): Only downloads of this version.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "downloads": records}}
        """
        if organisation_id is not None and organisation_id not in self.organisations:
            return _refused(f"There is no organisation {organisation_id!r}.")
        if version_id is not None and version_id not in self.versions:
            return _refused(f"There is no version {version_id!r}.")
        found = [
            download
            for download in self.downloads.values()
            if (organisation_id is None or download["organisation_id"] == organisation_id)
            and (version_id is None or download["version_id"] == version_id)
        ]
        shown = [{**download} for download in _page(found, offset)]
        return _found({"total": len(found), "downloads": shown}, self._names_of_downloads(shown))

    def list_disputes(
        self,
        package_id: str | None = None,
        claimant_id: str | None = None,
        status: Literal["open", "upheld", "rejected"] | None = None,
        opened_on_from: Date | None = None,
        opened_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the disputes, oldest first, all of them or only some.

        Args:
            package_id (str, optional): Only disputes of this package.
            claimant_id (str, optional): Only disputes whose claimant is this account.
            status (str, optional): Only disputes with this status.
            opened_on_from (str, optional): Only disputes whose `opened_on` is on this day or later.
            opened_on_to (str, optional): Only disputes whose `opened_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "disputes": records}}
        """
        if package_id is not None and package_id not in self.packages:
            return _refused(f"There is no package {package_id!r}.")
        if claimant_id is not None and claimant_id not in self.accounts:
            return _refused(f"There is no account {claimant_id!r}.")
        found = [
            dispute
            for dispute in self.disputes.values()
            if (package_id is None or dispute["package_id"] == package_id)
            and (claimant_id is None or dispute["claimant_id"] == claimant_id)
            and (status is None or dispute["status"] == status)
            and (opened_on_from is None or dispute["opened_on"] >= opened_on_from)
            and (opened_on_to is None or dispute["opened_on"] <= opened_on_to)
        ]
        shown = [{**dispute} for dispute in _page(found, offset)]
        return _found({"total": len(found), "disputes": shown}, self._names_of_disputes(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def create_package(self, name: Text, by_id: str) -> Result:
        """Register a free name for a new package, which whoever does it owns.

        Args:
            name (str): Name of the new package, not in use yet.
            by_id (str): Account that registers and then owns it; an id such as ACCOUNT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        by = self.accounts.get(by_id)
        if by is None:
            return _refused(f"There is no account {by_id!r}.")
        if self._packages_by_lower_name.get(name.lower(), {}):
            return _refused(f"The name {name} is taken; who has a right to it can open a dispute.")
        self._journal = []
        package: Package = {
            "id": self._new_id("package", "PACKAGE", self.packages),
            "name": name,
            "protected": False,
            "owner_ids": [record["id"] for record in [by]],
            "maintainer_ids": [record["id"] for record in []],
            "successor_id": None,
            "status": "listed",
        }
        self._add("packages", package)
        if len(self._packages_by_name.get(package["name"], {})) > 1:
            return self._take_back(f"There is already a package with the name {package['name']!r}.")
        if self._breaks_rule_1(package):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(package):
            return self._take_back(RULES[1])
        if self._breaks_rule_7_p(package):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(package):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: register {name} for {by['name']} (new: package {package['id']}).",
            "data": {"package_id": package["id"], **self._changes()},
        }

    def publish_version(
        self,
        package_id: str,
        by_id: str,
        bump: Literal["major", "minor", "patch"],
        size_kb: Annotated[int, {"minimum": 1, "maximum": 90000}],
        requires: Annotated[list[PublishVersionRequire], {"maxItems": 20}],
        line: Annotated[int, {"minimum": 0, "maximum": 999}] | None = None,
    ) -> Result:
        """Publish the next version of a package, after its newest version or at the end of an older major line.

        Args:
            package_id (str): Id of the package, such as PACKAGE-00001.
            by_id (str): Owner or maintainer of the package who publishes; an id such as ACCOUNT-00001.
            bump (str): Part of the version number that goes up, never major in older lines: major, minor or patch.
            size_kb (int): Size of the version, in kB, from 1 to 90000.
            requires (list): One entry for each package it depends on, possibly none: on_id: package that it
                depends on; an id such as PACKAGE-00001; major: major number that it needs of that package, from 0
                to 999; from_minor: lowest minor number that will do, from 0 to 999.
            line (int, optional): Major number of an older line to continue, from 0 to 999. If left out, the
                version follows the newest one.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        package = self.packages.get(package_id)
        if package is None:
            return _refused(f"There is no package {package_id!r}.")
        by = self.accounts.get(by_id)
        if by is None:
            return _refused(f"There is no account {by_id!r}.")
        entries, requires = requires, []
        for entry in entries:
            if entry["on_id"] not in self.packages:
                return _refused(f"There is no package {entry['on_id']!r}.")
            requires.append(
                {"on": self.packages[entry["on_id"]], "major": entry["major"], "from_minor": entry["from_minor"]}
            )
        if not self._may_publish(by, package):
            return _refused(f"{by['name']} is neither owner nor maintainer of {package['name']}.")
        if package["status"] != "listed":
            return _refused(f"{package['name']} is {package['status']}, so nothing can be published.")
        if line is not None and bump == "major":
            return _refused("An older line gets minor versions and patches only.")
        last = min(
            (
                v
                for v in self._versions_by_package.get(package_id, {}).values()
                if (line is None or v["major"] == line)
            ),
            key=lambda v: (-self._version_rank(v), _age(v)),
            default=None,
        )
        if last is None and line is not None:
            return _refused(f"{package['name']} has no such line.")
        if not (last is None or last["major"] < 998 and last["minor"] < 998 and last["patch"] < 998):
            return _refused(f"{package['name']} has run out of numbers.")
        if not _different([r["on"]["id"] for r in requires]):
            return _refused("A dependency is named twice.")
        if any(r["on"] is package for r in requires):
            return _refused(f"{package['name']} cannot depend on itself.")
        gone = next((r["on"] for r in requires if r["on"]["status"] == "deprecated"), None)
        if gone is not None:
            return _refused(f"{gone['name']} is deprecated, so nothing new may depend on it.")
        gap = next(
            (
                r
                for r in requires
                if not any(
                    v["minor"] >= r["from_minor"]
                    for v in self._versions_by_package_status.get((r["on"]["id"], "published"), {}).values()
                    if v["major"] == r["major"]
                )
            ),
            None,
        )
        if gap is not None:
            return _refused(
                f"No published version of {gap['on']['name']} is {gap['major']}.{gap['from_minor']} or later in "
                "that line."
            )
        self._journal = []
        added_dependencies: list[Any] = []
        major = 1 if last is None else last["major"] + 1 if bump == "major" else last["major"]
        minor = 0 if last is None or bump == "major" else last["minor"] + 1 if bump == "minor" else last["minor"]
        patch = last["patch"] + 1 if last is not None and bump == "patch" else 0
        if not 0 <= major <= 999:
            return self._take_back("The major of a version must be between 0 and 999.")
        if not 0 <= minor <= 999:
            return self._take_back("The minor of a version must be between 0 and 999.")
        if not 0 <= patch <= 999:
            return self._take_back("The patch of a version must be between 0 and 999.")
        version: Version = {
            "id": self._new_id("version", "VERSION", self.versions),
            "package_id": package_id,
            "major": major,
            "minor": minor,
            "patch": patch,
            "published_by_id": by_id,
            "published_at": self.now,
            "size_kb": size_kb,
            "yanked_for": None,
            "status": "published",
        }
        self._add("versions", version)
        for r in sorted(requires, key=lambda r: (r["on"]["name"],)):
            dependency = {
                "id": self._new_id("dependency", "DEPENDENCY", self.dependencies),
                "version_id": version["id"],
                "on_id": r["on"]["id"],
                "major": r["major"],
                "from_minor": r["from_minor"],
            }
            self._add("dependencies", dependency)
            added_dependencies.append(dependency)
        if self._breaks_rule_3(version):
            return self._take_back(RULES[2])
        for one_dependency in _distinct(
            [*self._dependencies_by_on.get(version["package_id"], {}).values(), *added_dependencies]
        ):
            if self._breaks_rule_4(one_dependency):
                return self._take_back(RULES[3])
        for one_dependency in _distinct(added_dependencies):
            if self._breaks_rule_5_d(one_dependency):
                return self._take_back(RULES[4])
        for one_dependency in _distinct(added_dependencies):
            if self._breaks_rule_5_d_again(one_dependency):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(version):
            return self._take_back(RULES[5])
        done = f"publish the next {bump} version of {package['name']} as {by['name']}"
        if line is not None:
            done += f" in line {line}"
        return {
            "success": True,
            "message": f"Done: {done} (new: version {version['id']}).",
            "data": {"version_id": version["id"], **self._changes()},
        }

    def yank_version(self, version_id: str, by_id: str, reason: Text) -> Result:
        """Yank a version so that nothing resolves to it any more; versions that rely on it alone stand in the way.

        Args:
            version_id (str): Id of the version, such as VERSION-00001.
            by_id (str): Owner or maintainer of the package who yanks it; an id such as ACCOUNT-00001.
            reason (str): Why the version is yanked.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        version = self.versions.get(version_id)
        if version is None:
            return _refused(f"There is no version {version_id!r}.")
        by = self.accounts.get(by_id)
        if by is None:
            return _refused(f"There is no account {by_id!r}.")
        if version["status"] != "published":
            return _refused(
                f"Version {version['major']}.{version['minor']}.{version['patch']} of "
                f"{self.packages[version['package_id']]['name']} is yanked already."
            )
        if not self._may_publish(by, self.packages[version["package_id"]]):
            return _refused(
                f"{by['name']} is neither owner nor maintainer of {self.packages[version['package_id']]['name']}."
            )
        hurt = next((each for each in self._relies(version)), None)
        if hurt is not None:
            return _refused(
                f"{self.packages[self.versions[hurt['version_id']]['package_id']]['name']} "
                f"{self.versions[hurt['version_id']]['major']}.{self.versions[hurt['version_id']]['minor']}.{self.versions[hurt['version_id']]['patch']} would have nothing left to depend on, so publish a replacement in line {version['major']} first."
            )
        self._journal = []
        self._put("versions", version, "yanked_for", reason)
        self._put("versions", version, "status", "yanked")
        for one_dependency in _distinct(
            [
                *self._dependencies_by_version.get(version["id"], {}).values(),
                *self._dependencies_by_on.get(version["package_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_4(one_dependency):
                return self._take_back(RULES[3])
        if self._breaks_rule_6(version):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: yank {version['major']}.{version['minor']}.{version['patch']} of "
                f"{self.packages[version['package_id']]['name']} as {by['name']} because of {reason}."
            ),
            "data": self._changes(),
        }

    def restore_version(self, version_id: str, by_id: str) -> Result:
        """Take a yank back.

        Args:
            version_id (str): Id of the version, such as VERSION-00001.
            by_id (str): Owner of the package who takes the yank back; an id such as ACCOUNT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        version = self.versions.get(version_id)
        if version is None:
            return _refused(f"There is no version {version_id!r}.")
        by = self.accounts.get(by_id)
        if by is None:
            return _refused(f"There is no account {by_id!r}.")
        if version["status"] != "yanked":
            return _refused(
                f"Version {version['major']}.{version['minor']}.{version['patch']} of "
                f"{self.packages[version['package_id']]['name']} is not yanked."
            )
        if by_id not in self.packages[version["package_id"]]["owner_ids"]:
            return _refused(
                f"{by['name']} does not own {self.packages[version['package_id']]['name']}; only an owner takes a "
                "yank back."
            )
        gap = next(
            (
                d
                for d in sorted(self._dependencies_by_version.get(version_id, {}).values(), key=_age)
                if not any(self._suits(v, d) for v in self._versions_by_package.get(d["on_id"], {}).values())
            ),
            None,
        )
        if gap is not None:
            return _refused(
                f"It needs {self.packages[gap['on_id']]['name']} {gap['major']}.{gap['from_minor']} or later, and "
                "no such version is published."
            )
        self._journal = []
        self._put("versions", version, "yanked_for", None)
        self._put("versions", version, "status", "published")
        for one_dependency in _distinct(
            [
                *self._dependencies_by_version.get(version["id"], {}).values(),
                *self._dependencies_by_on.get(version["package_id"], {}).values(),
            ]
        ):
            if self._breaks_rule_4(one_dependency):
                return self._take_back(RULES[3])
        if self._breaks_rule_6(version):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": (
                f"Done: restore {version['major']}.{version['minor']}.{version['patch']} of "
                f"{self.packages[version['package_id']]['name']} as {by['name']}."
            ),
            "data": self._changes(),
        }

    def deprecate_package(self, package_id: str, by_id: str, successor_id: str | None = None) -> Result:
        """Deprecate a package for good, perhaps in favour of another.

        Args:
            package_id (str): Id of the package, such as PACKAGE-00001.
            by_id (str): Owner of the package who deprecates it; an id such as ACCOUNT-00001.
            successor_id (str, optional): Listed package to use instead; an id such as PACKAGE-00001. If left out,
                no successor is named.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        package = self.packages.get(package_id)
        if package is None:
            return _refused(f"There is no package {package_id!r}.")
        by = self.accounts.get(by_id)
        if by is None:
            return _refused(f"There is no account {by_id!r}.")
        successor = self.packages.get(successor_id) if successor_id is not None else None
        if successor_id is not None and successor is None:
            return _refused(f"There is no package {successor_id!r}.")
        if by_id not in package["owner_ids"]:
            return _refused(f"{by['name']} does not own {package['name']}.")
        if package["status"] != "listed":
            return _refused(f"{package['name']} is {package['status']}.")
        if successor_id is not None and successor["status"] != "listed":
            return _refused(f"{successor['name']} is {successor['status']} and cannot take over.")
        if successor is package:
            return _refused("A package cannot succeed itself.")
        self._journal = []
        self._put("packages", package, "successor_id", successor_id)
        self._put("packages", package, "status", "deprecated")
        if self._breaks_rule_7_p(package):
            return self._take_back(RULES[6])
        if self._breaks_rule_9(package):
            return self._take_back(RULES[8])
        done = f"deprecate {package['name']} as {by['name']}"
        if successor is not None:
            done += f" in favour of {successor['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def add_person(
        self,
        package_id: str,
        by_id: str,
        account_id: str,
        role: Literal["owner", "maintainer"],
    ) -> Result:
        """Make an account owner or maintainer of a package, or change which of the two it is.

        Args:
            package_id (str): Id of the package, such as PACKAGE-00001.
            by_id (str): Owner of the package who does it; an id such as ACCOUNT-00001.
            account_id (str): Id of the account, such as ACCOUNT-00001.
            role (str): What the account is to the package from now on: owner or maintainer.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        package = self.packages.get(package_id)
        if package is None:
            return _refused(f"There is no package {package_id!r}.")
        by = self.accounts.get(by_id)
        if by is None:
            return _refused(f"There is no account {by_id!r}.")
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if by_id not in package["owner_ids"]:
            return _refused(f"{by['name']} does not own {package['name']}.")
        if package["status"] == "held":
            return _refused(f"{package['name']} is held because of a dispute.")
        if account in (
            [self.accounts[key] for key in package["owner_ids"]]
            if role == "owner"
            else [self.accounts[key] for key in package["maintainer_ids"]]
        ):
            return _refused(f"{account['name']} is {role} of {package['name']} already.")
        if package["protected"] and not account["second_factor"]:
            return _refused(f"{package['name']} is protected and {account['name']} has no second factor yet.")
        if role != "owner" and [self.accounts[key] for key in package["owner_ids"]] == [account]:
            return _refused(
                f"{account['name']} is the only owner of {package['name']}, so make somebody else owner first."
            )
        self._journal = []
        self._put(
            "packages",
            package,
            "owner_ids",
            [
                record["id"]
                for record in [
                    a
                    for a in _those(self.accounts, [*package["owner_ids"], account_id])
                    if (a["id"] in package["owner_ids"] and a is not account or a is account and role == "owner")
                ]
            ],
        )
        self._put(
            "packages",
            package,
            "maintainer_ids",
            [
                record["id"]
                for record in [
                    a
                    for a in _those(self.accounts, [*package["maintainer_ids"], account_id])
                    if (
                        a["id"] in package["maintainer_ids"]
                        and a is not account
                        or a is account
                        and role == "maintainer"
                    )
                ]
            ],
        )
        if self._breaks_rule_1(package):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(package):
            return self._take_back(RULES[1])
        for one_dispute in _distinct(self._disputes_by_package_status.get((package["id"], "open"), {}).values()):
            if self._breaks_rule_8(one_dispute):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: make {account['name']} {role} of {package['name']} as {by['name']}.",
            "data": self._changes(),
        }

    def remove_person(self, package_id: str, by_id: str, account_id: str) -> Result:
        """Take an account off a package; owners may remove anybody, others only themselves.

        Args:
            package_id (str): Id of the package, such as PACKAGE-00001.
            by_id (str): Owner of the package, or the account itself; an id such as ACCOUNT-00001.
            account_id (str): Id of the account, such as ACCOUNT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        package = self.packages.get(package_id)
        if package is None:
            return _refused(f"There is no package {package_id!r}.")
        by = self.accounts.get(by_id)
        if by is None:
            return _refused(f"There is no account {by_id!r}.")
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if not self._may_publish(account, package):
            return _refused(f"{account['name']} has nothing to do with {package['name']}.")
        if by_id not in package["owner_ids"] and by is not account:
            return _refused(f"{by['name']} does not own {package['name']}.")
        if package["status"] == "held":
            return _refused(f"{package['name']} is held because of a dispute.")
        if [self.accounts[key] for key in package["owner_ids"]] == [account]:
            return _refused(
                f"{account['name']} is the only owner of {package['name']}, so make somebody else owner first."
            )
        self._journal = []
        self._put(
            "packages",
            package,
            "owner_ids",
            [
                record["id"]
                for record in [a for a in [self.accounts[key] for key in package["owner_ids"]] if a is not account]
            ],
        )
        self._put(
            "packages",
            package,
            "maintainer_ids",
            [
                record["id"]
                for record in [
                    a
                    for a in [self.accounts[key] for key in package["maintainer_ids"]]
                    if a is not account
                ]
            ],
        )
        if self._breaks_rule_1(package):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(package):
            return self._take_back(RULES[1])
        for one_dispute in _distinct(self._disputes_by_package_status.get((package["id"], "open"), {}).values()):
            if self._breaks_rule_8(one_dispute):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: take {account['name']} off {package['name']} as {by['name']}.",
            "data": self._changes(),
        }

    def enrol_second_factor(self, account_id: str) -> Result:
        """Note that an account uses a second factor from now on.

        Args:
            account_id (str): Id of the account, such as ACCOUNT-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        account = self.accounts.get(account_id)
        if account is None:
            return _refused(f"There is no account {account_id!r}.")
        if account["second_factor"]:
            return _refused(f"{account['name']} uses a second factor already.")
        self._journal = []
        self._put("accounts", account, "second_factor", True)
        for one_package in _distinct(
            [
                *self._packages_by_owners.get(account["id"], {}).values(),
                *self._packages_by_maintainers.get(account["id"], {}).values(),
            ]
        ):
            if self._breaks_rule_2(one_package):
                return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: enrol {account['name']} for the second factor.",
            "data": self._changes(),
        }

    def open_dispute(self, package_id: str, claimant_id: str, reason: Text) -> Result:
        """Open a dispute over the name of a listed package, which is held until it is decided.

        Args:
            package_id (str): Id of the package, such as PACKAGE-00001.
            claimant_id (str): Account that claims the name, not an owner of the package; an id such as
                ACCOUNT-00001.
            reason (str): Why the claimant has a right to the name.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        package = self.packages.get(package_id)
        if package is None:
            return _refused(f"There is no package {package_id!r}.")
        claimant = self.accounts.get(claimant_id)
        if claimant is None:
            return _refused(f"There is no account {claimant_id!r}.")
        if package["status"] != "listed":
            return _refused(f"{package['name']} is {package['status']}, so its name cannot be disputed.")
        if claimant_id in package["owner_ids"]:
            return _refused(f"{claimant['name']} owns {package['name']}.")
        if package["protected"] and not claimant["second_factor"]:
            return _refused(
                f"{package['name']} is protected, so {claimant['name']} must use a second factor to claim it."
            )
        self._journal = []
        dispute: Dispute = {
            "id": self._new_id("dispute", "DISPUTE", self.disputes),
            "package_id": package_id,
            "claimant_id": claimant_id,
            "reason": reason,
            "opened_on": self.now[:10],
            "decided_on": None,
            "status": "open",
        }
        self._add("disputes", dispute)
        self._put("packages", package, "status", "held")
        if self._breaks_rule_7_q(dispute):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_p(self.packages[dispute["package_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_p(package):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(dispute):
            return self._take_back(RULES[7])
        if self._breaks_rule_9(package):
            return self._take_back(RULES[8])
        if self._breaks_rule_12(dispute):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": (
                f"Done: open the dispute of {claimant['name']} over {package['name']} because of {reason} (new: "
                f"dispute {dispute['id']})."
            ),
            "data": {"dispute_id": dispute["id"], **self._changes()},
        }

    def decide_dispute(self, dispute_id: str, verdict: Literal["upheld", "rejected"]) -> Result:
        """Decide a dispute, 14 days after it was opened at the earliest; if it is upheld the claimant becomes the
        only owner and all others leave.

        Args:
            dispute_id (str): Id of the dispute, such as DISPUTE-00001.
            verdict (str): Outcome of the dispute, upheld meaning the claimant gets the package: upheld or
                rejected.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        dispute = self.disputes.get(dispute_id)
        if dispute is None:
            return _refused(f"There is no dispute {dispute_id!r}.")
        if dispute["status"] != "open":
            return _refused(
                f"The dispute over {self.packages[dispute['package_id']]['name']} is {dispute['status']}."
            )
        if dispute["opened_on"] > _plus_days(self.now[:10], -14):
            return _refused(
                f"The dispute was opened on {dispute['opened_on']}, and the owners have 14 days to answer."
            )
        self._journal = []
        changed_packages: list[Any] = []
        changed_packages_2: list[Any] = []
        self._put("disputes", dispute, "decided_on", self.now[:10])
        self._put("disputes", dispute, "status", verdict)
        if verdict == "upheld":
            package = self.packages[dispute["package_id"]]
            changed_packages.append(package)
            self._put(
                "packages",
                package,
                "owner_ids",
                [record["id"] for record in [self.accounts[dispute["claimant_id"]]]],
            )
            its_package = self.packages[dispute["package_id"]]
            changed_packages_2.append(its_package)
            self._put("packages", its_package, "maintainer_ids", [])
        its_package_2 = self.packages[dispute["package_id"]]
        if its_package_2["status"] not in ("listed", "held"):
            return self._take_back(
                f"Package {its_package_2['name']} cannot go from {its_package_2['status']} to listed."
            )
        self._put("packages", its_package_2, "status", "listed")
        for one_package in _distinct([*changed_packages, *changed_packages_2]):
            if self._breaks_rule_1(one_package):
                return self._take_back(RULES[0])
        for one_package in _distinct([*changed_packages, *changed_packages_2]):
            if self._breaks_rule_2(one_package):
                return self._take_back(RULES[1])
        if self._breaks_rule_7_q(dispute):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_p(self.packages[dispute["package_id"]]):
            return self._take_back(RULES[6])
        if self._breaks_rule_7_p(its_package_2):
            return self._take_back(RULES[6])
        for one_dispute in _distinct(
            [
                dispute,
                *[
                    user
                    for one in changed_packages
                    for user in self._disputes_by_package_status.get((one["id"], "open"), {}).values()
                ],
            ]
        ):
            if self._breaks_rule_8(one_dispute):
                return self._take_back(RULES[7])
        if self._breaks_rule_9(its_package_2):
            return self._take_back(RULES[8])
        if self._breaks_rule_12(dispute):
            return self._take_back(RULES[11])
        return {
            "success": True,
            "message": f"Done: decide the dispute over {self.packages[dispute['package_id']]['name']} as {verdict}.",
            "data": self._changes(),
        }

    def count_downloads(
        self,
        organisation_id: str,
        version_id: str,
        times: Annotated[int, {"minimum": 1, "maximum": 20000}],
    ) -> Result:
        """Count the downloads of a version by an organisation against its quota of this month; yanked versions only
        where the organisation has them already.

        Args:
            organisation_id (str): Id of the organisation, such as ORGANISATION-00001.
            version_id (str): Id of the version, such as VERSION-00001.
            times (int): Number of downloads to count, within what is left this month, from 1 to 20000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        organisation = self.organisations.get(organisation_id)
        if organisation is None:
            return _refused(f"There is no organisation {organisation_id!r}.")
        version = self.versions.get(version_id)
        if version is None:
            return _refused(f"There is no version {version_id!r}.")
        before = next(
            (
                x
                for x in sorted(
                    self._downloads_by_organisation_version.get((organisation_id, version_id), {}).values(),
                    key=_age,
                )
            ),
            None,
        )
        if version["status"] != "published" and before is None:
            return _refused(
                f"That version of {self.packages[version['package_id']]['name']} is yanked and "
                f"{organisation['name']} has never had it."
            )
        if self._used_now(organisation) + times > self._organisation_quota(organisation):
            return _refused(
                f"{organisation['name']} has "
                f"{self._organisation_quota(organisation) - self._used_now(organisation)} downloads left this "
                "month, so a larger plan is needed."
            )
        self._journal = []
        added_downloads: list[Any] = []
        used = self._used_now(organisation) + times
        if not 0 <= used <= 20000:
            return self._take_back(f"The used of {organisation['name']} must be between 0 and 20000.")
        self._put("organisations", organisation, "used", used)
        self._put("organisations", organisation, "month", self.now[:10][:8] + "01")
        if before is None:
            download = {
                "id": self._new_id("download", "DOWNLOAD", self.downloads),
                "organisation_id": organisation_id,
                "version_id": version_id,
                "times": times,
            }
            self._add("downloads", download)
            added_downloads.append(download)
        else:
            new_times = before["times"] + times
            if not 1 <= new_times <= 1000000:
                return self._take_back(f"The times of {before['id']} must be between 1 and 1000000.")
            self._put("downloads", before, "times", new_times)
        if self._breaks_rule_10(organisation):
            return self._take_back(RULES[9])
        for one_download in _distinct(added_downloads):
            if self._breaks_rule_11(one_download):
                return self._take_back(RULES[10])
        return {
            "success": True,
            "message": (
                f"Done: count {times} downloads of {version['major']}.{version['minor']}.{version['patch']} of "
                f"{self.packages[version['package_id']]['name']} by {organisation['name']}."
            ),
            "data": self._changes(),
        }

    def change_plan(self, organisation_id: str, plan: Literal["free", "team", "business"]) -> Result:
        """Put an organisation on another plan, with 1,000 downloads a month on free, 5,000 on team and 20,000 on
        business.

        Args:
            organisation_id (str): Id of the organisation, such as ORGANISATION-00001.
            plan (str): New plan of the organisation: free, team or business.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        organisation = self.organisations.get(organisation_id)
        if organisation is None:
            return _refused(f"There is no organisation {organisation_id!r}.")
        if plan == organisation["plan"]:
            return _refused(f"{organisation['name']} is on {plan} already.")
        if self._used_now(organisation) > (1000 if plan == "free" else 5000 if plan == "team" else 20000):
            return _refused(
                f"{organisation['name']} has used {self._used_now(organisation)} downloads this month, more than "
                f"{plan} allows."
            )
        self._journal = []
        used = self._used_now(organisation)
        if not 0 <= used <= 20000:
            return self._take_back(f"The used of {organisation['name']} must be between 0 and 20000.")
        self._put("organisations", organisation, "used", used)
        self._put("organisations", organisation, "month", self.now[:10][:8] + "01")
        self._put("organisations", organisation, "plan", plan)
        if self._breaks_rule_10(organisation):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: put {organisation['name']} on the {plan} plan.",
            "data": self._changes(),
        }

    def _show_package(self, package: Package) -> dict[str, Any]:
        """The package as an answer shows it."""
        return {
            **package,
            "owner_ids": [*package["owner_ids"]],
            "maintainer_ids": [*package["maintainer_ids"]],
            "newest_id": _id_of(self._package_newest(package)),
            "needed_by": self._package_needed_by(package),
        }

    def _show_version(self, version: Version) -> dict[str, Any]:
        """The version as an answer shows it."""
        return {**version, "rank": self._version_rank(version)}

    def _show_dependency(self, dependency: Dependency) -> dict[str, Any]:
        """The dependency as an answer shows it."""
        return {**dependency, "resolved_by_id": _id_of(self._dependency_resolved_by(dependency))}

    def _show_organisation(self, organisation: Organisation) -> dict[str, Any]:
        """The organisation as an answer shows it."""
        return {**organisation, "quota": self._organisation_quota(organisation)}

    def _names_of_packages(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that packages point to."""
        return _names(
            (self.accounts, "name", [each for row in shown for each in row["owner_ids"]]),
            (self.accounts, "name", [each for row in shown for each in row["maintainer_ids"]]),
            (self.packages, "name", [row["successor_id"] for row in shown]),
        )

    def _names_of_versions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that versions point to."""
        return _names(
            (self.packages, "name", [row["package_id"] for row in shown]),
            (self.accounts, "name", [row["published_by_id"] for row in shown]),
        )

    def _names_of_dependencies(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that dependencies point to."""
        return _names((self.packages, "name", [row["on_id"] for row in shown]))

    def _names_of_downloads(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that downloads point to."""
        return _names((self.organisations, "name", [row["organisation_id"] for row in shown]))

    def _names_of_disputes(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that disputes point to."""
        return _names(
            (self.packages, "name", [row["package_id"] for row in shown]),
            (self.accounts, "name", [row["claimant_id"] for row in shown]),
        )

    def _package_newest(self, package: Package) -> Version | None:
        """The newest of a package."""
        return min(
            self._versions_by_package_status.get((package["id"], "published"), {}).values(),
            key=lambda v: (-self._version_rank(v), _age(v)),
            default=None,
        )

    def _package_needed_by(self, package: Package) -> int:
        """The needed by of a package."""
        return sum(
            1
            for d in self._dependencies_by_on.get(package["id"], {}).values()
            if self.versions[d["version_id"]]["status"] == "published"
        )

    def _version_rank(self, version: Version) -> int:
        """The rank of a version."""
        return version["major"] * 1000000 + version["minor"] * 1000 + version["patch"]

    def _dependency_resolved_by(self, dependency: Dependency) -> Version | None:
        """The resolved by of a dependency."""
        return min(
            (
                v
                for v in self._versions_by_package.get(dependency["on_id"], {}).values()
                if self._suits(v, dependency)
            ),
            key=lambda v: (-self._version_rank(v), _age(v)),
            default=None,
        )

    def _organisation_quota(self, organisation: Organisation) -> int:
        """The quota of an organisation."""
        return 1000 if organisation["plan"] == "free" else 5000 if organisation["plan"] == "team" else 20000

    def _suits(self, v: Version, d: Dependency) -> bool:
        return (
            v["package_id"] == d["on_id"]
            and v["major"] == d["major"]
            and v["minor"] >= d["from_minor"]
            and v["status"] == "published"
        )

    def _relies(self, v: Version) -> list[Dependency]:
        return [
            d
            for d in sorted(self._dependencies_by_on.get(v["package_id"], {}).values(), key=_age)
            if d["version_id"] != v["id"]
            and self.versions[d["version_id"]]["status"] == "published"
            and self._suits(v, d)
            and not any(
                self._suits(w, d)
                for w in self._versions_by_package.get(d["on_id"], {}).values()
                if w is not v
            )
        ]

    def _may_publish(self, a: Account, p: Package) -> bool:
        return a["id"] in p["owner_ids"] or a["id"] in p["maintainer_ids"]

    def _used_now(self, o: Organisation) -> int:
        return o["used"] if o["month"] == self.now[:10][:8] + "01" else 0

    def _last_release(self, p: Package) -> str | None:
        return max((v["published_at"] for v in self._versions_by_package.get(p["id"], {}).values()), default=None)

    def _needs_of(self, v: Version | None) -> list[Dependency]:
        return [
            d
            for d in sorted(
                self._dependencies_by_version.get(v["id"] if v is not None else None, {}).values(),
                key=_age,
            )
            if v is not None
        ]

    def _breaks_rule_1(self, p: Package) -> bool:
        """Whether this is broken: every package has an owner, and nobody is listed twice among its people."""
        return not (
            len(p["owner_ids"]) > 0
            and _different(
                [
                    a["id"]
                    for a in [self.accounts[key] for key in p["owner_ids"]] + [
                        self.accounts[key]
                        for key in p["maintainer_ids"]
                    ]
                ]
            )
        )

    def _breaks_rule_2(self, p: Package) -> bool:
        """Whether this is broken: everybody who may publish a protected package uses a second factor."""
        return (
            p["protected"]
            and any(
                not a["second_factor"]
                for a in [self.accounts[key] for key in p["owner_ids"]] + [
                    self.accounts[key]
                    for key in p["maintainer_ids"]
                ]
            )
        )

    def _breaks_rule_3(self, v: Version) -> bool:
        """Whether this is broken: a version number is used once, even when it was yanked."""
        return any(
            other_v is not v
            for other_v in self._versions_by_package.get(v["package_id"], {}).values()
            if other_v["major"] == v["major"]
            and other_v["minor"] == v["minor"]
            and other_v["patch"] == v["patch"]
        )

    def _breaks_rule_4(self, d: Dependency) -> bool:
        """Whether this is broken: every dependency of a published version can be met by a published version."""
        return (
            self.versions[d["version_id"]]["status"] == "published"
            and not any(
                v["major"] == d["major"]
                and v["minor"] >= d["from_minor"]
                and v["status"] == "published"
                for v in self._versions_by_package.get(d["on_id"], {}).values()
            )
        )

    def _breaks_rule_5_d(self, d: Dependency) -> bool:
        """Whether this is broken: a version names each dependency once and never its own package."""
        return any(
            other_d is not d
            for other_d in self._dependencies_by_version_on.get((d["version_id"], d["on_id"]), {}).values()
        )

    def _breaks_rule_5_d_again(self, d: Dependency) -> bool:
        """Whether this is broken: a version names each dependency once and never its own package."""
        return d["on_id"] == self.versions[d["version_id"]]["package_id"]

    def _breaks_rule_6(self, v: Version) -> bool:
        """Whether this is broken: a yanked version says why, and no other one does."""
        return (v["status"] == "yanked") != (v["yanked_for"] is not None)

    def _breaks_rule_7_q(self, q: Dispute) -> bool:
        """Whether this is broken: a package has at most one open dispute and is held exactly while it lasts."""
        return (
            q["status"] == "open"
            and any(
                other_q is not q
                for other_q in self._disputes_by_package_status.get((q["package_id"], "open"), {}).values()
            )
        )

    def _breaks_rule_7_p(self, p: Package) -> bool:
        """Whether this is broken: a package has at most one open dispute and is held exactly while it lasts."""
        return (p["status"] == "held") != any(
            q["status"] == "open"
            for q in self._disputes_by_package.get(p["id"], {}).values()
        )

    def _breaks_rule_8(self, q: Dispute) -> bool:
        """Whether this is broken: nobody claims a package that they own."""
        return q["status"] == "open" and q["claimant_id"] in self.packages[q["package_id"]]["owner_ids"]

    def _breaks_rule_9(self, p: Package) -> bool:
        """Whether this is broken: only a deprecated package has a successor, and the path of successors never comes
        back.
        """
        return not (
            (p["successor_id"] is None or p["status"] == "deprecated")
            and p not in _above(self.packages, p, "successor_id")
        )

    def _breaks_rule_10(self, o: Organisation) -> bool:
        """Whether this is broken: an organisation downloads no more in a month than its plan allows."""
        return o["used"] > self._organisation_quota(o)

    def _breaks_rule_11(self, x: Download) -> bool:
        """Whether this is broken: the downloads of a version are counted once for each organisation."""
        return any(
            other_x is not x
            for other_x in self._downloads_by_organisation_version.get(
                (x["organisation_id"], x["version_id"]),
                {},
            ).values()
        )

    def _breaks_rule_12(self, q: Dispute) -> bool:
        """Whether this is broken: a decided dispute has a day, and an open one has none."""
        return (q["status"] == "open") != (q["decided_on"] is None)

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
            case "packages":
                self._packages_by_lower_name.setdefault(record["name"].lower(), {})[record["id"]] = record
                for key in record["maintainer_ids"]:
                    self._packages_by_maintainers.setdefault(key, {})[record["id"]] = record
                self._packages_by_name.setdefault(record["name"], {})[record["id"]] = record
                for key in record["owner_ids"]:
                    self._packages_by_owners.setdefault(key, {})[record["id"]] = record
            case "versions":
                self._versions_by_package.setdefault(record["package_id"], {})[record["id"]] = record
                self._versions_by_package_status.setdefault(
                    (record["package_id"], record["status"]),
                    {},
                )[record["id"]] = record
            case "dependencies":
                self._dependencies_by_on.setdefault(record["on_id"], {})[record["id"]] = record
                self._dependencies_by_version.setdefault(record["version_id"], {})[record["id"]] = record
                self._dependencies_by_version_on.setdefault(
                    (record["version_id"], record["on_id"]),
                    {},
                )[record["id"]] = record
            case "downloads":
                self._downloads_by_organisation_version.setdefault(
                    (record["organisation_id"], record["version_id"]),
                    {},
                )[record["id"]] = record
            case "disputes":
                self._disputes_by_package.setdefault(record["package_id"], {})[record["id"]] = record
                self._disputes_by_package_status.setdefault(
                    (record["package_id"], record["status"]),
                    {},
                )[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "packages":
                del self._packages_by_lower_name[record["name"].lower()][record["id"]]
                for key in record["maintainer_ids"]:
                    self._packages_by_maintainers[key].pop(record["id"], None)
                del self._packages_by_name[record["name"]][record["id"]]
                for key in record["owner_ids"]:
                    self._packages_by_owners[key].pop(record["id"], None)
            case "versions":
                del self._versions_by_package[record["package_id"]][record["id"]]
                del self._versions_by_package_status[record["package_id"], record["status"]][record["id"]]
            case "dependencies":
                del self._dependencies_by_on[record["on_id"]][record["id"]]
                del self._dependencies_by_version[record["version_id"]][record["id"]]
                del self._dependencies_by_version_on[record["version_id"], record["on_id"]][record["id"]]
            case "downloads":
                del self._downloads_by_organisation_version[record["organisation_id"], record["version_id"]][record["id"]]
            case "disputes":
                del self._disputes_by_package[record["package_id"]][record["id"]]
                del self._disputes_by_package_status[record["package_id"], record["status"]][record["id"]]
