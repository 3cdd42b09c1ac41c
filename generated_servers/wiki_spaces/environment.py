"""Wiki spaces. Compiled from blueprint.yaml; run `envscaler build wiki_spaces` after changing it there.

Keeps the wiki of an institute, with pages in trees, drafts under an edit lock and published versions,
restrictions that are inherited downwards, links, owners and review dates.
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
    "Pages never lie within themselves, and at most four deep.",
    "A page lies in the space of the page above it, and nothing living lies below an archived page.",
    "A page has a draft exactly while somebody holds its edit lock, and that person wrote it.",
    "A page has one draft at a time and never counts two versions alike.",
    "Nobody holds more than three edit locks.",
    "The owner of a living page may see it, and so may whoever edits it.",
    "Living pages do not link to archived ones.",
    "A page links to another one once and never to itself.",
    "Archived pages are not being edited.",
    "A published version has a day and a length, and a draft has neither.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "create_page",
    "start_edit",
    "publish_draft",
    "discard_draft",
    "move_page",
    "restrict_page",
    "change_membership",
    "archive_page",
    "restore_page",
    "link_page",
    "confirm_review",
    "hand_over_page",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "people": ("name",),
    "groups": ("name",),
    "spaces": ("name",),
    "pages": ("title",),
    "versions": (),
    "links": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("links", "source_id"),
    ("links", "target_id"),
    ("pages", "locked_by_id"),
    ("pages", "only_for_ids"),
    ("pages", "owner_id"),
    ("pages", "parent_id"),
    ("pages", "title"),
    ("versions", "page_id"),
    ("versions", "status"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Person(TypedDict):
    id: str
    name: str
    editor: bool


class Group(TypedDict):
    id: str
    name: str
    member_ids: list[str]


class Space(TypedDict):
    id: str
    name: str
    steward_id: str


class Page(TypedDict):
    id: str
    title: str
    space_id: str
    parent_id: str | None
    owner_id: str
    only_for_ids: list[str]
    locked_by_id: str | None
    review_every: int
    reviewed_on: str
    status: Literal["fresh", "published", "archived"]


class Version(TypedDict):
    id: str
    page_id: str
    number: int
    author_id: str
    summary: str
    words: int | None
    published_on: str | None
    status: Literal["draft", "published", "discarded"]


class Link(TypedDict):
    id: str
    source_id: str
    target_id: str


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


def _those(records: dict[str, Any], keys: Iterable[Any]) -> list[Any]:
    """The records of these ids, each once, oldest first."""
    return sorted((records[key] for key in set(keys) if key in records), key=_age)


class WikiSpaces:
    """Keeps the wiki of an institute, with pages in trees, drafts under an edit lock and published
    versions, restrictions that are inherited downwards, links, owners and review dates.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.people: dict[str, Person] = _copied(config.get("people", {}))
        self.groups: dict[str, Group] = _copied(config.get("groups", {}))
        self.spaces: dict[str, Space] = _copied(config.get("spaces", {}))
        self.pages: dict[str, Page] = _copied(config.get("pages", {}))
        self.versions: dict[str, Version] = _copied(config.get("versions", {}))
        self.links: dict[str, Link] = _copied(config.get("links", {}))
        self.now: str = config.get("now", "2026-03-24T11:15")
        self.counters: dict[str, int] = {
            "person": len(self.people),
            "group": len(self.groups),
            "space": len(self.spaces),
            "page": len(self.pages),
            "version": len(self.versions),
            "link": len(self.links),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._pages_by_locked_by: dict[Any, dict[str, Page]] = {}
        self._pages_by_lower_title: dict[Any, dict[str, Page]] = {}
        self._pages_by_only_for: dict[Any, dict[str, Page]] = {}
        self._pages_by_owner: dict[Any, dict[str, Page]] = {}
        self._pages_by_parent: dict[Any, dict[str, Page]] = {}
        self._pages_by_title: dict[Any, dict[str, Page]] = {}
        self._versions_by_page: dict[Any, dict[str, Version]] = {}
        self._versions_by_page_status: dict[Any, dict[str, Version]] = {}
        self._links_by_source: dict[Any, dict[str, Link]] = {}
        self._links_by_source_target: dict[Any, dict[str, Link]] = {}
        self._links_by_target: dict[Any, dict[str, Link]] = {}
        for page in self.pages.values():
            self._link("pages", page)
        for version in self.versions.values():
            self._link("versions", version)
        for link in self.links.values():
            self._link("links", link)

    def may_edit(self, person_id: str, page_id: str) -> Result:
        """Whether somebody could begin to edit a page, and what stands in the way.

        Args:
            person_id (str): Id of the person, such as PERSON-00001.
            page_id (str): Id of the page, such as PAGE-00001.

        Returns:
            dict: {"success": True, "data": {sees, editor, locked_by, locks_held, restricting_pages}} or
                {"success": False, "error": why not}
        """
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        page = self.pages.get(page_id)
        if page is None:
            return _refused(f"There is no page {page_id!r}.")
        answer = {
            "sees": self._may_see(person, page),
            "editor": person["editor"],
            "locked_by": page["locked_by_id"],
            "locks_held": self._locks_of(person),
            "restricting_pages": [
                *[
                    q["title"]
                    for q in self._line_of(page)
                    if len(q["only_for_ids"]) > 0
                    and not any(person_id in g["member_ids"] for g in [self.groups[key] for key in q["only_for_ids"]])
                ]
            ],
        }
        return _found(answer, _names((self.people, "name", [row["locked_by"] for row in [answer]])))

    def pages_below(self, page_id: str, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Everything below a page, with its owner and state.

        Args:
            page_id (str): Id of the page, such as PAGE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pages": records}} or {"success": False, "error": why
                not}
        """
        page = self.pages.get(page_id)
        if page is None:
            return _refused(f"There is no page {page_id!r}.")
        found = [q for q in _below(self._pages_by_parent, page)]
        found.sort(key=lambda q: (self._page_depth(q), q["title"], _age(q)))
        shown = [
            {
                "id": q["id"],
                "title": q["title"],
                "parent": q["parent_id"],
                "owner": self.people[q["owner_id"]]["name"],
                "status": q["status"],
                "locked_by": q["locked_by_id"],
                "review_due": self._page_review_due(q),
            }
            for q in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "pages": shown},
            _names(
                (self.pages, "title", [row["parent"] for row in shown]),
                (self.people, "name", [row["locked_by"] for row in shown]),
            ),
        )

    def reviews_due(
        self,
        until: Date,
        owner_id: str | None = None,
        space_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Published pages whose review is due by a day, the longest overdue first.

        Args:
            until (str): Last day on which the reviews listed fall due, as YYYY-MM-DD.
            owner_id (str, optional): Owner of the pages listed; an id such as PERSON-00001. If left out, the pages
                of all owners are listed.
            space_id (str, optional): Space of the pages listed; an id such as SPACE-00001. If left out, the pages
                of all spaces are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pages": records}} or {"success": False, "error": why
                not}
        """
        owner = self.people.get(owner_id) if owner_id is not None else None
        if owner_id is not None and owner is None:
            return _refused(f"There is no person {owner_id!r}.")
        space = self.spaces.get(space_id) if space_id is not None else None
        if space_id is not None and space is None:
            return _refused(f"There is no space {space_id!r}.")
        found = [
            p
            for p in self.pages.values()
            if (p["status"] == "published" and self._page_review_due(p) <= until)
            and (owner_id is None or p["owner_id"] == owner_id)
            and (space_id is None or p["space_id"] == space_id)
        ]
        found.sort(key=lambda p: (self._page_review_due(p), p["title"], _age(p)))
        return _found(
            {
                "total": len(found),
                "pages": [
                    {
                        "id": p["id"],
                        "title": p["title"],
                        "space": self.spaces[p["space_id"]]["name"],
                        "owner": self.people[p["owner_id"]]["name"],
                        "review_due": self._page_review_due(p),
                    }
                    for p in _page(found, offset)
                ],
            }
        )

    def links_from_outside(
        self,
        page_id: str,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Links of living pages that lead to a page or below it from elsewhere.

        Args:
            page_id (str): Id of the page, such as PAGE-00001.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "links": records}} or {"success": False, "error": why
                not}
        """
        page = self.pages.get(page_id)
        if page is None:
            return _refused(f"There is no page {page_id!r}.")
        found = [l for l in self._links_into(page)]
        found.sort(key=lambda l: (self.pages[l["source_id"]]["title"], self.pages[l["target_id"]]["title"], _age(l)))
        return _found(
            {
                "total": len(found),
                "links": [
                    {
                        "source_id": self.pages[l["source_id"]]["id"],
                        "source": self.pages[l["source_id"]]["title"],
                        "target_id": self.pages[l["target_id"]]["id"],
                        "target": self.pages[l["target_id"]]["title"],
                    }
                    for l in _page(found, offset)
                ],
            }
        )

    def list_people(
        self,
        name: Text | None = None,
        editor: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the people, oldest first, all of them or only some.

        Args:
            name (str, optional): Only people whose name contains this text.
            editor (bool, optional): Only people with this value of `editor`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "people": records}}
        """
        found = [
            person
            for person in self.people.values()
            if (name is None or name.casefold() in person["name"].casefold())
            and (editor is None or person["editor"] == editor)
        ]
        return _found({"total": len(found), "people": [{**person} for person in _page(found, offset)]})

    def list_groups(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the groups, oldest first, all of them or only some.

        Args:
            name (str, optional): Only groups whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "groups": records}}
        """
        found = [
            group
            for group in self.groups.values()
            if (name is None or name.casefold() in group["name"].casefold())
        ]
        shown = [self._show_group(group) for group in _page(found, offset)]
        return _found({"total": len(found), "groups": shown}, self._names_of_groups(shown))

    def list_spaces(
        self,
        name: Text | None = None,
        steward_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the spaces, oldest first, all of them or only some.

        Args:
            name (str, optional): Only spaces whose name contains this text.
            steward_id (str, optional): Only spaces whose steward is this person.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "spaces": records}}
        """
        if steward_id is not None and steward_id not in self.people:
            return _refused(f"There is no person {steward_id!r}.")
        found = [
            space
            for space in self.spaces.values()
            if (name is None or name.casefold() in space["name"].casefold())
            and (steward_id is None or space["steward_id"] == steward_id)
        ]
        shown = [{**space} for space in _page(found, offset)]
        return _found({"total": len(found), "spaces": shown}, self._names_of_spaces(shown))

    def list_pages(
        self,
        title: Text | None = None,
        space_id: str | None = None,
        parent_id: str | None = None,
        owner_id: str | None = None,
        locked_by_id: str | None = None,
        status: Literal["fresh", "published", "archived"] | None = None,
        reviewed_on_from: Date | None = None,
        reviewed_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the pages, oldest first, all of them or only some.

        Args:
            title (str, optional): Only pages whose title contains this text.
            space_id (str, optional): Only pages of this space.
            parent_id (str, optional): Only pages whose parent is this page.
            owner_id (str, optional): Only pages whose owner is this person.
            locked_by_id (str, optional): Only pages locked by this person.
            status (str, optional): Only pages with this status.
            reviewed_on_from (str, optional): Only pages whose `reviewed_on` is on this day or later.
            reviewed_on_to (str, optional): Only pages whose `reviewed_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "pages": records}}
        """
        if space_id is not None and space_id not in self.spaces:
            return _refused(f"There is no space {space_id!r}.")
        if parent_id is not None and parent_id not in self.pages:
            return _refused(f"There is no page {parent_id!r}.")
        if owner_id is not None and owner_id not in self.people:
            return _refused(f"There is no person {owner_id!r}.")
        if locked_by_id is not None and locked_by_id not in self.people:
            return _refused(f"There is no person {locked_by_id!r}.")
        found = [
            page
            for page in self.pages.values()
            if (title is None or title.casefold() in page["title"].casefold())
            and (space_id is None or page["space_id"] == space_id)
            and (parent_id is None or page["parent_id"] == parent_id)
            and (owner_id is None or page["owner_id"] == owner_id)
            and (locked_by_id is None or page["locked_by_id"] == locked_by_id)
            and (status is None or page["status"] == status)
            and (reviewed_on_from is None or page["reviewed_on"] >= reviewed_on_from)
            and (reviewed_on_to is None or page["reviewed_on"] <= reviewed_on_to)
        ]
        shown = [self._show_page(page) for page in _page(found, offset)]
        return _found({"total": len(found), "pages": shown}, self._names_of_pages(shown))

    def list_versions(
        self,
        page_id: str | None = None,
        author_id: str | None = None,
        status: Literal["draft", "published", "discarded"] | None = None,
        published_on_from: Date | None = None,
        published_on_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the versions, oldest first, all of them or only some.

        Args:
            page_id (str, optional): Only versions of this page.
            author_id (str, optional): Only versions whose author is this person.
            status (str, optional): Only versions with this status.
            published_on_from (str, optional): Only versions whose `published_on` is on this day or later.
            published_on_to (str, optional): Only versions whose `published_on` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "versions": records}}
        """
        if page_id is not None and page_id not in self.pages:
            return _refused(f"There is no page {page_id!r}.")
        if author_id is not None and author_id not in self.people:
            return _refused(f"There is no person {author_id!r}.")
        found = [
            version
            for version in self.versions.values()
            if (page_id is None or version["page_id"] == page_id)
            and (author_id is None or version["author_id"] == author_id)
            and (status is None or version["status"] == status)
            and (
                published_on_from is None
                or (version["published_on"] is not None and version["published_on"] >= published_on_from)
            )
            and (
                published_on_to is None
                or (version["published_on"] is not None and version["published_on"] <= published_on_to)
            )
        ]
        shown = [{**version} for version in _page(found, offset)]
        return _found({"total": len(found), "versions": shown}, self._names_of_versions(shown))

    def list_links(
        self,
        source_id: str | None = None,
        target_id: str | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the links, oldest first, all of them or only some.

        Args:
            source_id (str, optional): Only links whose source is this page.
            target_id (str, optional): Only links whose target is this page.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "links": records}}
        """
        if source_id is not None and source_id not in self.pages:
            return _refused(f"There is no page {source_id!r}.")
        if target_id is not None and target_id not in self.pages:
            return _refused(f"There is no page {target_id!r}.")
        found = [
            link
            for link in self.links.values()
            if (source_id is None or link["source_id"] == source_id)
            and (target_id is None or link["target_id"] == target_id)
        ]
        shown = [{**link} for link in _page(found, offset)]
        return _found({"total": len(found), "links": shown}, self._names_of_links(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def create_page(
        self,
        space_id: str,
        title: Text,
        by_id: str,
        summary: Text,
        parent_id: str | None = None,
    ) -> Result:
        """Begin a page in a space, perhaps below another one; its author owns it and holds the lock on its first
        draft.

        Args:
            space_id (str): Id of the space, such as SPACE-00001.
            title (str): Title of the new page, not in use anywhere in the wiki.
            by_id (str): Editor who becomes owner of the page and writes the first draft; an id such as
                PERSON-00001.
            summary (str): Short description of what the first draft contains.
            parent_id (str, optional): Page of the same space below which the new one lies; an id such as
                PAGE-00001. If left out, the page lies at the top of the space.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        space = self.spaces.get(space_id)
        if space is None:
            return _refused(f"There is no space {space_id!r}.")
        parent = self.pages.get(parent_id) if parent_id is not None else None
        if parent_id is not None and parent is None:
            return _refused(f"There is no page {parent_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if not by["editor"]:
            return _refused(f"{by['name']} is a reader only.")
        if self._pages_by_lower_title.get(title.lower(), {}):
            return _refused(f"There is a page {title} already.")
        if parent_id is not None and parent["space_id"] != space_id:
            return _refused(f"{parent['title']} lies in {self.spaces[parent['space_id']]['name']}.")
        if not (parent_id is None or self._living(parent)):
            return _refused(f"{parent['title']} is archived.")
        if parent_id is not None and self._page_depth(parent) >= 4:
            return _refused(f"{parent['title']} lies too deep for that.")
        if not (parent_id is None or self._may_see(by, parent)):
            return _refused(f"{by['name']} may not see {parent['title']}.")
        if self._locks_of(by) >= 3:
            return _refused(f"{by['name']} edits three pages already.")
        self._journal = []
        page: Page = {
            "id": self._new_id("page", "PAGE", self.pages),
            "title": title,
            "space_id": space_id,
            "parent_id": parent_id,
            "owner_id": by_id,
            "only_for_ids": [record["id"] for record in []],
            "locked_by_id": by_id,
            "review_every": 180,
            "reviewed_on": self.now[:10],
            "status": "fresh",
        }
        self._add("pages", page)
        version: Version = {
            "id": self._new_id("version", "VERSION", self.versions),
            "page_id": page["id"],
            "number": 1,
            "author_id": by_id,
            "summary": summary,
            "words": None,
            "published_on": None,
            "status": "draft",
        }
        self._add("versions", version)
        if len(self._pages_by_title.get(page["title"], {})) > 1:
            return self._take_back(f"There is already a page with the title {page['title']!r}.")
        if self._breaks_rule_1(page):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(page):
            return self._take_back(RULES[1])
        if self._breaks_rule_3_p(page):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_p(self.pages[version["page_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_v(version):
            return self._take_back(RULES[2])
        if self._breaks_rule_4_v(version):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_v_again(version):
            return self._take_back(RULES[3])
        for one_person in _distinct([self.people.get(page["locked_by_id"])]):
            if self._breaks_rule_5(one_person):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(page):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(page):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(version):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": (
                f"Done: begin the page {title} in {space['name']} as {by['name']} (new: page {page['id']}, "
                f"version {version['id']})."
            ),
            "data": {"page_id": page["id"], "version_id": version["id"], **self._changes()},
        }

    def start_edit(self, page_id: str, by_id: str, summary: Text) -> Result:
        """Take the edit lock of a page and begin a draft of its next version.

        Args:
            page_id (str): Id of the page, such as PAGE-00001.
            by_id (str): Editor who takes the lock and writes the draft; an id such as PERSON-00001.
            summary (str): Short description of what the draft changes.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        page = self.pages.get(page_id)
        if page is None:
            return _refused(f"There is no page {page_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if not by["editor"]:
            return _refused(f"{by['name']} is a reader only.")
        if not self._living(page):
            return _refused(f"{page['title']} is archived.")
        holder = self.people.get(page["locked_by_id"])
        if holder is not None:
            return _refused(f"{page['title']} is being edited by {holder['name']}.")
        if not self._may_see(by, page):
            return _refused(f"{by['name']} is not in a group that may see {page['title']}.")
        if self._locks_of(by) >= 3:
            return _refused(f"{by['name']} edits three pages already.")
        self._journal = []
        former_locked_by_id = page["locked_by_id"]
        self._put("pages", page, "locked_by_id", by_id)
        number = (
            (
                max((v["number"] for v in self._versions_by_page.get(page_id, {}).values()), default=None)
                if max(
                    (v["number"] for v in self._versions_by_page.get(page_id, {}).values()),
                    default=None,
                ) is not None
                else 0
            )
            + 1
        )
        if not 1 <= number <= 9999:
            return self._take_back("The number of a version must be between 1 and 9999.")
        version: Version = {
            "id": self._new_id("version", "VERSION", self.versions),
            "page_id": page_id,
            "number": number,
            "author_id": by_id,
            "summary": summary,
            "words": None,
            "published_on": None,
            "status": "draft",
        }
        self._add("versions", version)
        if self._breaks_rule_3_p(page):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_p(self.pages[version["page_id"]]):
            return self._take_back(RULES[2])
        for one_version in _distinct(
            [version, *self._versions_by_page_status.get((page["id"], "draft"), {}).values()]
        ):
            if self._breaks_rule_3_v(one_version):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_v(version):
            return self._take_back(RULES[3])
        if self._breaks_rule_4_v_again(version):
            return self._take_back(RULES[3])
        for one_person in _distinct([self.people.get(page["locked_by_id"]), self.people.get(former_locked_by_id)]):
            if self._breaks_rule_5(one_person):
                return self._take_back(RULES[4])
        if self._breaks_rule_6(page):
            return self._take_back(RULES[5])
        if self._breaks_rule_9(page):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(version):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: let {by['name']} edit {page['title']} (new: version {version['id']}).",
            "data": {"version_id": version["id"], **self._changes()},
        }

    def publish_draft(
        self,
        page_id: str,
        by_id: str,
        words: Annotated[int, {"minimum": 1, "maximum": 50000}],
    ) -> Result:
        """Publish the draft of a page with its length in words; the lock is released, and by the owner's hand it
        counts as a review.

        Args:
            page_id (str): Id of the page, such as PAGE-00001.
            by_id (str): Person who publishes, being the author, the page's owner or the steward; an id such as
                PERSON-00001.
            words (int): Length of the published text in words, from 1 to 50000.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        page = self.pages.get(page_id)
        if page is None:
            return _refused(f"There is no page {page_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        draft = self._draft_of(page)
        if draft is None:
            return _refused(f"{page['title']} has no draft.")
        if (
            by_id != draft["author_id"]
            and by_id != page["owner_id"]
            and by_id != self.spaces[page["space_id"]]["steward_id"]
        ):
            return _refused(
                f"The draft is {self.people[draft['author_id']]['name']}'s, so the author, the owner "
                f"{self.people[page['owner_id']]['name']} or the steward must publish it."
            )
        self._journal = []
        changed_pages: list[Any] = []
        self._put("versions", draft, "words", words)
        self._put("versions", draft, "published_on", self.now[:10])
        if draft["status"] not in ("draft", "published"):
            return self._take_back(f"Version {draft['id']} cannot go from {draft['status']} to published.")
        self._put("versions", draft, "status", "published")
        former_locked_by_id = page["locked_by_id"]
        self._put("pages", page, "locked_by_id", None)
        if page["status"] == "fresh":
            changed_pages.append(page)
            self._put("pages", page, "status", "published")
        if by_id == page["owner_id"]:
            self._put("pages", page, "reviewed_on", self.now[:10])
        for one_page in _distinct(
            [
                *changed_pages,
                *[user for one in changed_pages for user in self._pages_by_parent.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_page):
                return self._take_back(RULES[1])
        if self._breaks_rule_3_p(self.pages[draft["page_id"]]):
            return self._take_back(RULES[2])
        if self._breaks_rule_3_p(page):
            return self._take_back(RULES[2])
        for one_version in _distinct([draft, *self._versions_by_page_status.get((page["id"], "draft"), {}).values()]):
            if self._breaks_rule_3_v(one_version):
                return self._take_back(RULES[2])
        if self._breaks_rule_4_v(draft):
            return self._take_back(RULES[3])
        for one_person in _distinct([self.people.get(page["locked_by_id"]), self.people.get(former_locked_by_id)]):
            if self._breaks_rule_5(one_person):
                return self._take_back(RULES[4])
        for one_page in _distinct([page, *changed_pages]):
            if self._breaks_rule_6(one_page):
                return self._take_back(RULES[5])
        for one_link in _distinct(
            [
                *[user for one in changed_pages for user in self._links_by_target.get(one["id"], {}).values()],
                *[user for one in changed_pages for user in self._links_by_source.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_7(one_link):
                return self._take_back(RULES[6])
        for one_page in _distinct([page, *changed_pages]):
            if self._breaks_rule_9(one_page):
                return self._take_back(RULES[8])
        if self._breaks_rule_10(draft):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: publish {page['title']} as {by['name']}.",
            "data": self._changes(),
        }

    def discard_draft(self, page_id: str, by_id: str) -> Result:
        """Discard the draft of a page and release its lock; a page that was never published goes altogether.

        Args:
            page_id (str): Id of the page, such as PAGE-00001.
            by_id (str): Person who discards it, being the author, the page's owner or the steward; an id such as
                PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        page = self.pages.get(page_id)
        if page is None:
            return _refused(f"There is no page {page_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        draft = self._draft_of(page)
        if draft is None:
            return _refused(f"{page['title']} has no draft.")
        if (
            by_id != draft["author_id"]
            and by_id != page["owner_id"]
            and by_id != self.spaces[page["space_id"]]["steward_id"]
        ):
            return _refused(
                f"The draft is {self.people[draft['author_id']]['name']}'s, so the author, the owner "
                f"{self.people[page['owner_id']]['name']} or the steward must discard it."
            )
        if not (
            page["status"] != "fresh"
            or not self._pages_by_parent.get(page_id, {})
            and not _distinct(
                [*self._links_by_source.get(page_id, {}).values(), *self._links_by_target.get(page_id, {}).values()]
            )
        ):
            return _refused(f"{page['title']} has pages below it or links, so these must go first.")
        self._journal = []
        deleted_versions: list[Any] = []
        deleted_pages: list[Any] = []
        changed_versions: list[Any] = []
        changed_pages: list[Any] = []
        former_locked_by_ids: list[Any] = []
        if page["status"] == "fresh":
            for v in sorted(self._versions_by_page.get(page_id, {}).values(), key=_age):
                if v["id"] in self.versions:
                    self._remove("versions", v)
                deleted_versions.append(v)
            if page["id"] in self.pages:
                self._remove("pages", page)
            deleted_pages.append(page)
        else:
            if draft["status"] not in ("draft", "discarded"):
                return self._take_back(f"Version {draft['id']} cannot go from {draft['status']} to discarded.")
            changed_versions.append(draft)
            if draft["id"] in self.versions:
                self._put("versions", draft, "status", "discarded")
            changed_pages.append(page)
            former_locked_by_ids.append(page["locked_by_id"])
            if page["id"] in self.pages:
                self._put("pages", page, "locked_by_id", None)
        for one_page in deleted_pages:
            users = len(self._pages_by_parent.get(one_page["id"], {}))
            if users:
                return self._take_back(
                    f"Page {one_page['title']} is still used by {users} {'page' if users == 1 else 'pages'}."
                )
            users = len(self._versions_by_page.get(one_page["id"], {}))
            if users:
                return self._take_back(
                    f"Page {one_page['title']} is still used by {users} {'version' if users == 1 else 'versions'}."
                )
            users = len(self._links_by_source.get(one_page["id"], {}))
            if users:
                return self._take_back(
                    f"Page {one_page['title']} is still used by {users} {'link' if users == 1 else 'links'}."
                )
            users = len(self._links_by_target.get(one_page["id"], {}))
            if users:
                return self._take_back(
                    f"Page {one_page['title']} is still used by {users} {'link' if users == 1 else 'links'}."
                )
        if any(self._breaks_rule_1(one_page_2) for one_page_2 in self.pages.values()):
            return self._take_back(RULES[0])
        for one_page_2 in _distinct(
            [user for one in deleted_pages for user in self._pages_by_parent.get(one["id"], {}).values()]
        ):
            if one_page_2["id"] in self.pages and self._breaks_rule_2(one_page_2):
                return self._take_back(RULES[1])
        for one_page_2 in _distinct(
            [
                *[self.pages.get(one["page_id"]) for one in deleted_versions],
                *[self.pages.get(one["page_id"]) for one in changed_versions],
                *changed_pages,
            ]
        ):
            if one_page_2["id"] in self.pages and self._breaks_rule_3_p(one_page_2):
                return self._take_back(RULES[2])
        for one_version in _distinct(
            [
                *[
                    user
                    for one in deleted_pages
                    for user in self._versions_by_page_status.get((one["id"], "draft"), {}).values()
                ],
                *changed_versions,
                *[
                    user
                    for one in changed_pages
                    for user in self._versions_by_page_status.get((one["id"], "draft"), {}).values()
                ],
            ]
        ):
            if one_version["id"] in self.versions and self._breaks_rule_3_v(one_version):
                return self._take_back(RULES[2])
        for one_version in _distinct(changed_versions):
            if one_version["id"] in self.versions and self._breaks_rule_4_v(one_version):
                return self._take_back(RULES[3])
        for one_person in _distinct(
            [
                *[self.people.get(one["locked_by_id"]) for one in deleted_pages],
                *[self.people.get(one["locked_by_id"]) for one in changed_pages],
                *[self.people.get(key) for key in former_locked_by_ids],
            ]
        ):
            if self._breaks_rule_5(one_person):
                return self._take_back(RULES[4])
        if any(self._breaks_rule_6(one_page_2) for one_page_2 in self.pages.values()):
            return self._take_back(RULES[5])
        for one_link in _distinct(
            [
                *[user for one in deleted_pages for user in self._links_by_target.get(one["id"], {}).values()],
                *[user for one in deleted_pages for user in self._links_by_source.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_7(one_link):
                return self._take_back(RULES[6])
        for one_page_2 in _distinct(changed_pages):
            if one_page_2["id"] in self.pages and self._breaks_rule_9(one_page_2):
                return self._take_back(RULES[8])
        for one_version in _distinct(changed_versions):
            if one_version["id"] in self.versions and self._breaks_rule_10(one_version):
                return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: discard the draft of {page['title']} as {by['name']}.",
            "data": self._changes(),
        }

    def move_page(self, page_id: str, by_id: str, parent_id: str | None = None) -> Result:
        """Move a page with everything below it under another page of its space, or to the top, as its owner or the
        steward.

        Args:
            page_id (str): Id of the page, such as PAGE-00001.
            by_id (str): Owner of the page or steward of its space; an id such as PERSON-00001.
            parent_id (str, optional): Page of the same space below which it is to lie; an id such as PAGE-00001.
                If left out, the page moves to the top of its space.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        page = self.pages.get(page_id)
        if page is None:
            return _refused(f"There is no page {page_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        parent = self.pages.get(parent_id) if parent_id is not None else None
        if parent_id is not None and parent is None:
            return _refused(f"There is no page {parent_id!r}.")
        if not self._living(page):
            return _refused(f"{page['title']} is archived.")
        if by not in [self.people[page["owner_id"]], self.people[self.spaces[page["space_id"]]["steward_id"]]]:
            return _refused(
                f"Only {self.people[page['owner_id']]['name']} or the steward "
                f"{self.people[self.spaces[page['space_id']]['steward_id']]['name']} moves {page['title']}."
            )
        if parent_id == page["parent_id"]:
            return _refused(f"{page['title']} lies there already.")
        if not (parent_id is None or parent["space_id"] == page["space_id"] and self._living(parent)):
            return _refused(f"{parent['title']} is archived or in another space.")
        if parent_id is not None and parent in self._subtree(page):
            return _refused(f"{parent['title']} lies below {page['title']} itself.")
        if not (
            parent_id is None
            or all(
                self._page_depth(q) - self._page_depth(page) + self._page_depth(parent) + 1 <= 4
                for q in self._subtree(page)
            )
        ):
            return _refused("Some page would lie more than four deep.")
        lost = next(
            (
                q
                for q in self._subtree(page)
                if self._living(q)
                and parent_id is not None
                and not self._may_see(self.people[q["owner_id"]], parent)
            ),
            None,
        )
        if lost is not None:
            return _refused(
                f"{self.people[lost['owner_id']]['name']}, who owns {lost['title']}, may not see what lies there."
            )
        shut = next(
            (
                q
                for q in self._subtree(page)
                if parent_id is not None
                and q["locked_by_id"] is not None
                and any(not self._may_see(x, parent) for x in _those(self.people, [q["locked_by_id"]]))
            ),
            None,
        )
        if shut is not None:
            return _refused(f"Whoever edits {shut['title']} may not see what lies there.")
        self._journal = []
        self._put("pages", page, "parent_id", parent_id)
        for one_page in _distinct([page, *_below(self._pages_by_parent, page)]):
            if self._breaks_rule_1(one_page):
                return self._take_back(RULES[0])
        if self._breaks_rule_2(page):
            return self._take_back(RULES[1])
        for one_page in _distinct([page, *_below(self._pages_by_parent, page)]):
            if self._breaks_rule_6(one_page):
                return self._take_back(RULES[5])
        done = f"move {page['title']} as {by['name']}"
        if parent is not None:
            done += f" below {parent['title']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def restrict_page(self, page_id: str, by_id: str, group_id: str, restricted: bool = True) -> Result:
        """Let only the members of a group see a page and everything below it, in addition to groups named before, or
        take the group off the list, as the page's owner or the steward.

        Args:
            page_id (str): Id of the page, such as PAGE-00001.
            by_id (str): Owner of the page or steward of its space; an id such as PERSON-00001.
            group_id (str): Id of the group, such as GROUP-00001.
            restricted (bool): Whether the group joins those who may see the page rather than leaves them. Default:
                true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        page = self.pages.get(page_id)
        if page is None:
            return _refused(f"There is no page {page_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        if not self._living(page):
            return _refused(f"{page['title']} is archived.")
        if by not in [self.people[page["owner_id"]], self.people[self.spaces[page["space_id"]]["steward_id"]]]:
            return _refused(
                f"Only {self.people[page['owner_id']]['name']} or the steward "
                f"{self.people[self.spaces[page['space_id']]['steward_id']]['name']} decides who sees "
                f"{page['title']}."
            )
        if restricted != (group_id not in page["only_for_ids"]):
            return _refused(f"For {group['name']} it is so already.")
        owner_out = next(
            (
                q
                for q in self._subtree(page)
                if self._living(q)
                and restricted
                and len(page["only_for_ids"]) == 0
                and q["owner_id"] not in group["member_ids"]
            ),
            None,
        )
        if owner_out is not None:
            return _refused(
                f"{self.people[owner_out['owner_id']]['name']}, who owns {owner_out['title']}, is not in "
                f"{group['name']}, so hand that page over or make them a member."
            )
        editor_out = next(
            (
                q
                for q in self._subtree(page)
                if q["locked_by_id"] is not None
                and restricted
                and len(page["only_for_ids"]) == 0
                and q["locked_by_id"] not in group["member_ids"]
            ),
            None,
        )
        if editor_out is not None:
            return _refused(
                f"Somebody outside {group['name']} is editing {editor_out['title']}, so publish or discard that "
                "draft."
            )
        if not (
            restricted
            or [self.groups[key] for key in page["only_for_ids"]] == [group]
            or all(
                any(
                    q["owner_id"] in g["member_ids"]
                    for g in [self.groups[key] for key in page["only_for_ids"]]
                    if g is not group
                )
                for q in self._subtree(page)
                if self._living(q)
            )
        ):
            return _refused(f"An owner below could see the page only through {group['name']}.")
        if not (
            restricted
            or [self.groups[key] for key in page["only_for_ids"]] == [group]
            or all(
                q["locked_by_id"] is None
                or any(
                    q["locked_by_id"] in g["member_ids"]
                    for g in [self.groups[key] for key in page["only_for_ids"]]
                    if g is not group
                )
                for q in self._subtree(page)
            )
        ):
            return _refused(f"Somebody who is editing could see the page only through {group['name']}.")
        self._journal = []
        self._put(
            "pages",
            page,
            "only_for_ids",
            [
                record["id"]
                for record in [
                    g
                    for g in _those(self.groups, [*page["only_for_ids"], group_id])
                    if (g["id"] in page["only_for_ids"] and g is not group or g is group and restricted)
                ]
            ],
        )
        for one_page in _distinct([page, *_below(self._pages_by_parent, page)]):
            if self._breaks_rule_6(one_page):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: change whether {page['title']} is for {group['name']} as {by['name']}.",
            "data": self._changes(),
        }

    def change_membership(self, group_id: str, person_id: str, member: bool = True) -> Result:
        """Put somebody into a group, or take them out.

        Args:
            group_id (str): Id of the group, such as GROUP-00001.
            person_id (str): Id of the person, such as PERSON-00001.
            member (bool): Whether the person joins the group rather than leaves it. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        group = self.groups.get(group_id)
        if group is None:
            return _refused(f"There is no group {group_id!r}.")
        person = self.people.get(person_id)
        if person is None:
            return _refused(f"There is no person {person_id!r}.")
        if member != (person_id not in group["member_ids"]):
            return _refused(f"For {person['name']} it is so already.")
        if not (
            member
            or not any(
                any(
                    group_id in q["only_for_ids"]
                    and not any(
                        person_id in g["member_ids"]
                        for g in [self.groups[key] for key in q["only_for_ids"]]
                        if g is not group
                    )
                    for q in self._line_of(p)
                )
                for p in _distinct(
                    [
                        *self._pages_by_owner.get(person_id, {}).values(),
                        *self._pages_by_locked_by.get(person_id, {}).values(),
                    ]
                )
                if self._living(p)
            )
        ):
            return _refused(f"{person['name']} owns or edits a page that only {group['name']} may see.")
        self._journal = []
        self._put(
            "groups",
            group,
            "member_ids",
            [
                record["id"]
                for record in [
                    x
                    for x in _those(self.people, [*group["member_ids"], person_id])
                    if (x["id"] in group["member_ids"] and x is not person or x is person and member)
                ]
            ],
        )
        for one_page in _distinct(
            [
                *self._pages_by_only_for.get(group["id"], {}).values(),
                *[
                    user
                    for one in self._pages_by_only_for.get(group["id"], {}).values()
                    for user in _below(self._pages_by_parent, one)
                ],
            ]
        ):
            if self._breaks_rule_6(one_page):
                return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: change whether {person['name']} is in {group['name']}.",
            "data": self._changes(),
        }

    def archive_page(self, page_id: str, by_id: str) -> Result:
        """Archive a page and everything below it; links from outside and edits under way stand in the way.

        Args:
            page_id (str): Id of the page, such as PAGE-00001.
            by_id (str): Owner of the page or steward of its space; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        page = self.pages.get(page_id)
        if page is None:
            return _refused(f"There is no page {page_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if page["status"] != "published":
            return _refused(f"{page['title']} is {page['status']}.")
        if by_id != page["owner_id"] and by_id != self.spaces[page["space_id"]]["steward_id"]:
            return _refused(f"Only {self.people[page['owner_id']]['name']} or the steward archives {page['title']}.")
        busy = next(
            (q for q in self._subtree(page) if (q["locked_by_id"] is not None or q["status"] == "fresh")),
            None,
        )
        if busy is not None:
            return _refused(f"{busy['title']} is being edited, so publish or discard that draft.")
        entry = next((each for each in self._links_into(page)), None)
        if entry is not None:
            return _refused(
                f"{self.pages[entry['source_id']]['title']} links to {self.pages[entry['target_id']]['title']}, "
                "so remove that link or let it lead elsewhere."
            )
        self._journal = []
        changed_pages: list[Any] = []
        for q in list(self._subtree(page)):
            if q["status"] == "published":
                if q["status"] not in ("published", "archived"):
                    return self._take_back(f"Page {q['title']} cannot go from {q['status']} to archived.")
                changed_pages.append(q)
                self._put("pages", q, "status", "archived")
        for one_page in _distinct(
            [
                *changed_pages,
                *[user for one in changed_pages for user in self._pages_by_parent.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_2(one_page):
                return self._take_back(RULES[1])
        for one_page in _distinct(changed_pages):
            if self._breaks_rule_6(one_page):
                return self._take_back(RULES[5])
        for one_link in _distinct(
            [
                *[user for one in changed_pages for user in self._links_by_target.get(one["id"], {}).values()],
                *[user for one in changed_pages for user in self._links_by_source.get(one["id"], {}).values()],
            ]
        ):
            if self._breaks_rule_7(one_link):
                return self._take_back(RULES[6])
        for one_page in _distinct(changed_pages):
            if self._breaks_rule_9(one_page):
                return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: archive {page['title']} as {by['name']}.",
            "data": self._changes(),
        }

    def restore_page(self, page_id: str, by_id: str) -> Result:
        """Bring an archived page back, without what lies below it, as its owner or the steward; that counts as a
        review.

        Args:
            page_id (str): Id of the page, such as PAGE-00001.
            by_id (str): Owner of the page or steward of its space; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        page = self.pages.get(page_id)
        if page is None:
            return _refused(f"There is no page {page_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if page["status"] != "archived":
            return _refused(f"{page['title']} is {page['status']}.")
        if by not in [self.people[page["owner_id"]], self.people[self.spaces[page["space_id"]]["steward_id"]]]:
            return _refused(
                f"Only {self.people[page['owner_id']]['name']} or the steward "
                f"{self.people[self.spaces[page['space_id']]['steward_id']]['name']} restores {page['title']}."
            )
        roof = self.pages.get(page["parent_id"])
        if not (roof is None or self._living(roof)):
            return _refused(f"{roof['title']}, below which it lies, is archived, so restore that first.")
        if not self._may_see(self.people[page["owner_id"]], page):
            return _refused(
                f"{self.people[page['owner_id']]['name']}, who owns {page['title']}, may not see it any more, so "
                "change the groups first."
            )
        dead = next(
            (
                l
                for l in sorted(self._links_by_source.get(page_id, {}).values(), key=_age)
                if not self._living(self.pages[l["target_id"]])
            ),
            None,
        )
        if dead is not None:
            return _refused(
                f"{page['title']} links to {self.pages[dead['target_id']]['title']}, which is archived, so remove "
                "that link first."
            )
        self._journal = []
        self._put("pages", page, "reviewed_on", self.now[:10])
        self._put("pages", page, "status", "published")
        for one_page in _distinct([page, *self._pages_by_parent.get(page["id"], {}).values()]):
            if self._breaks_rule_2(one_page):
                return self._take_back(RULES[1])
        if self._breaks_rule_6(page):
            return self._take_back(RULES[5])
        for one_link in _distinct(
            [*self._links_by_target.get(page["id"], {}).values(), *self._links_by_source.get(page["id"], {}).values()]
        ):
            if self._breaks_rule_7(one_link):
                return self._take_back(RULES[6])
        if self._breaks_rule_9(page):
            return self._take_back(RULES[8])
        return {
            "success": True,
            "message": f"Done: restore {page['title']} as {by['name']}.",
            "data": self._changes(),
        }

    def link_page(self, source_id: str, target_id: str, linked: bool = True) -> Result:
        """Let a page link to another, or remove the link.

        Args:
            source_id (str): Page that contains the link; an id such as PAGE-00001.
            target_id (str): Other page that the link leads to; an id such as PAGE-00001.
            linked (bool): Whether the link is made rather than removed. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        source = self.pages.get(source_id)
        if source is None:
            return _refused(f"There is no page {source_id!r}.")
        target = self.pages.get(target_id)
        if target is None:
            return _refused(f"There is no page {target_id!r}.")
        if source is target:
            return _refused("A page does not link to itself.")
        if linked != (not self._links_by_source_target.get((source_id, target_id), {})):
            return _refused("That is so already.")
        if not (not linked or self._living(source) and self._living(target)):
            return _refused("One of the pages is archived.")
        self._journal = []
        added_links: list[Any] = []
        deleted_links: list[Any] = []
        if linked:
            link = {"id": self._new_id("link", "LINK", self.links), "source_id": source_id, "target_id": target_id}
            self._add("links", link)
            added_links.append(link)
        else:
            for l in sorted(self._links_by_source_target.get((source_id, target_id), {}).values(), key=_age):
                if l["id"] in self.links:
                    self._remove("links", l)
                deleted_links.append(l)
        for one_link in _distinct(added_links):
            if one_link["id"] in self.links and self._breaks_rule_7(one_link):
                return self._take_back(RULES[6])
        for one_link in _distinct(added_links):
            if one_link["id"] in self.links and self._breaks_rule_8_l(one_link):
                return self._take_back(RULES[7])
        for one_link in _distinct(added_links):
            if one_link["id"] in self.links and self._breaks_rule_8_l_again(one_link):
                return self._take_back(RULES[7])
        return {
            "success": True,
            "message": f"Done: change the link from {source['title']} to {target['title']}.",
            "data": self._changes(),
        }

    def confirm_review(
        self,
        page_id: str,
        by_id: str,
        every: Annotated[int, {"minimum": 7, "maximum": 720}] | None = None,
    ) -> Result:
        """Confirm that a page is still right, perhaps with another interval in days until the next review.

        Args:
            page_id (str): Id of the page, such as PAGE-00001.
            by_id (str): Owner of the page or steward of its space; an id such as PERSON-00001.
            every (int, optional): Days from one review of the page to the next, from 7 to 720. If left out, the
                interval stays as it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        page = self.pages.get(page_id)
        if page is None:
            return _refused(f"There is no page {page_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        if page["status"] != "published":
            return _refused(f"{page['title']} is {page['status']}.")
        if by_id != page["owner_id"] and by_id != self.spaces[page["space_id"]]["steward_id"]:
            return _refused(f"Only {self.people[page['owner_id']]['name']} or the steward confirms {page['title']}.")
        if not (page["reviewed_on"] < self.now[:10] or every is not None and every != page["review_every"]):
            return _refused(f"{page['title']} was reviewed today.")
        self._journal = []
        self._put("pages", page, "reviewed_on", self.now[:10])
        review_every = every if every is not None else page["review_every"]
        if not 7 <= review_every <= 720:
            return self._take_back(f"The review every of {page['title']} must be between 7 and 720.")
        self._put("pages", page, "review_every", review_every)
        done = f"confirm {page['title']} as {by['name']}"
        if every is not None:
            done += f", to be reviewed every {every} days"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def hand_over_page(self, page_id: str, by_id: str, heir_id: str) -> Result:
        """Make somebody else the owner of a page, as its owner or the steward.

        Args:
            page_id (str): Id of the page, such as PAGE-00001.
            by_id (str): Present owner of the page or steward of its space; an id such as PERSON-00001.
            heir_id (str): Editor who becomes the new owner and may see the page; an id such as PERSON-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        page = self.pages.get(page_id)
        if page is None:
            return _refused(f"There is no page {page_id!r}.")
        by = self.people.get(by_id)
        if by is None:
            return _refused(f"There is no person {by_id!r}.")
        heir = self.people.get(heir_id)
        if heir is None:
            return _refused(f"There is no person {heir_id!r}.")
        if not self._living(page):
            return _refused(f"{page['title']} is archived.")
        if by not in [self.people[page["owner_id"]], self.people[self.spaces[page["space_id"]]["steward_id"]]]:
            return _refused(
                f"Only {self.people[page['owner_id']]['name']} or the steward "
                f"{self.people[self.spaces[page['space_id']]['steward_id']]['name']} hands {page['title']} over."
            )
        if heir_id == page["owner_id"]:
            return _refused(f"{heir['name']} owns {page['title']} already.")
        if not heir["editor"]:
            return _refused(f"{heir['name']} is a reader only.")
        if not self._may_see(heir, page):
            return _refused(f"{heir['name']} is not in a group that may see {page['title']}.")
        self._journal = []
        self._put("pages", page, "owner_id", heir_id)
        if self._breaks_rule_6(page):
            return self._take_back(RULES[5])
        return {
            "success": True,
            "message": f"Done: hand {page['title']} over to {heir['name']} as {by['name']}.",
            "data": self._changes(),
        }

    def _show_group(self, group: Group) -> dict[str, Any]:
        """The group as an answer shows it."""
        return {**group, "member_ids": [*group["member_ids"]]}

    def _show_page(self, page: Page) -> dict[str, Any]:
        """The page as an answer shows it."""
        return {
            **page,
            "only_for_ids": [*page["only_for_ids"]],
            "review_due": self._page_review_due(page),
            "depth": self._page_depth(page),
        }

    def _names_of_groups(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that groups point to."""
        return _names((self.people, "name", [each for row in shown for each in row["member_ids"]]))

    def _names_of_spaces(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that spaces point to."""
        return _names((self.people, "name", [row["steward_id"] for row in shown]))

    def _names_of_pages(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that pages point to."""
        return _names(
            (self.spaces, "name", [row["space_id"] for row in shown]),
            (self.pages, "title", [row["parent_id"] for row in shown]),
            (self.people, "name", [row["owner_id"] for row in shown]),
            (self.groups, "name", [each for row in shown for each in row["only_for_ids"]]),
            (self.people, "name", [row["locked_by_id"] for row in shown]),
        )

    def _names_of_versions(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that versions point to."""
        return _names(
            (self.pages, "title", [row["page_id"] for row in shown]),
            (self.people, "name", [row["author_id"] for row in shown]),
        )

    def _names_of_links(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that links point to."""
        return _names(
            (self.pages, "title", [row["source_id"] for row in shown]),
            (self.pages, "title", [row["target_id"] for row in shown]),
        )

    def _page_review_due(self, page: Page) -> str:
        """The review due of a page."""
        return _plus_days(page["reviewed_on"], page["review_every"])

    def _page_depth(self, page: Page) -> int:
        """The depth of a page."""
        return len(_above(self.pages, page, "parent_id"))

    def _line_of(self, p: Page) -> list[Page]:
        return [p] + _above(self.pages, p, "parent_id")

    def _subtree(self, p: Page) -> list[Page]:
        return [p] + _below(self._pages_by_parent, p)

    def _may_see(self, x: Person, p: Page) -> bool:
        return all(
            len(q["only_for_ids"]) == 0
            or any(x["id"] in g["member_ids"] for g in [self.groups[key] for key in q["only_for_ids"]])
            for q in self._line_of(p)
        )

    def _draft_of(self, p: Page) -> Version | None:
        return next(
            (v for v in sorted(self._versions_by_page_status.get((p["id"], "draft"), {}).values(), key=_age)),
            None,
        )

    def _newest_of(self, p: Page) -> Version | None:
        return min(
            self._versions_by_page_status.get((p["id"], "published"), {}).values(),
            key=lambda v: (-v["number"], _age(v)),
            default=None,
        )

    def _locks_of(self, x: Person) -> int:
        return len(self._pages_by_locked_by.get(x["id"], {}))

    def _living(self, p: Page) -> bool:
        return p["status"] != "archived"

    def _links_into(self, p: Page) -> list[Link]:
        return [
            l
            for l in sorted(
                _distinct(
                    [
                        l
                        for key in [p["id"], *[record["id"] for record in _below(self._pages_by_parent, p)]]
                        for l in self._links_by_target.get(key, {}).values()
                    ]
                ),
                key=_age,
            )
            if self.pages[l["source_id"]] not in self._subtree(p)
            and self._living(self.pages[l["source_id"]])
        ]

    def _breaks_rule_1(self, p: Page) -> bool:
        """Whether this is broken: pages never lie within themselves, and at most four deep."""
        return p in _above(self.pages, p, "parent_id") or len(_above(self.pages, p, "parent_id")) > 4

    def _breaks_rule_2(self, p: Page) -> bool:
        """Whether this is broken: a page lies in the space of the page above it, and nothing living lies below an
        archived page.
        """
        return not (
            p["parent_id"] is None
            or self.pages[p["parent_id"]]["space_id"] == p["space_id"]
            and (p["status"] == "archived" or self.pages[p["parent_id"]]["status"] != "archived")
        )

    def _breaks_rule_3_p(self, p: Page) -> bool:
        """Whether this is broken: a page has a draft exactly while somebody holds its edit lock, and that person
        wrote it.
        """
        return (p["locked_by_id"] is not None) != any(
            v["status"] == "draft"
            for v in self._versions_by_page.get(p["id"], {}).values()
        )

    def _breaks_rule_3_v(self, v: Version) -> bool:
        """Whether this is broken: a page has a draft exactly while somebody holds its edit lock, and that person
        wrote it.
        """
        return v["status"] == "draft" and self.pages[v["page_id"]]["locked_by_id"] != v["author_id"]

    def _breaks_rule_4_v(self, v: Version) -> bool:
        """Whether this is broken: a page has one draft at a time and never counts two versions alike."""
        return (
            v["status"] == "draft"
            and any(
                other_v is not v
                for other_v in self._versions_by_page_status.get((v["page_id"], "draft"), {}).values()
            )
        )

    def _breaks_rule_4_v_again(self, v: Version) -> bool:
        """Whether this is broken: a page has one draft at a time and never counts two versions alike."""
        return any(
            other_v is not v
            for other_v in self._versions_by_page.get(v["page_id"], {}).values()
            if other_v["number"] == v["number"]
        )

    def _breaks_rule_5(self, x: Person) -> bool:
        """Whether this is broken: nobody holds more than three edit locks."""
        return len(self._pages_by_locked_by.get(x["id"], {})) > 3

    def _breaks_rule_6(self, p: Page) -> bool:
        """Whether this is broken: the owner of a living page may see it, and so may whoever edits it."""
        return (
            self._living(p)
            and not (
                self._may_see(self.people[p["owner_id"]], p)
                and (p["locked_by_id"] is None or self._may_see(self.people[p["locked_by_id"]], p))
            )
        )

    def _breaks_rule_7(self, l: Link) -> bool:
        """Whether this is broken: living pages do not link to archived ones."""
        return (
            self.pages[l["target_id"]]["status"] == "archived"
            and self.pages[l["source_id"]]["status"] != "archived"
        )

    def _breaks_rule_8_l(self, l: Link) -> bool:
        """Whether this is broken: a page links to another one once and never to itself."""
        return any(
            other_l is not l
            for other_l in self._links_by_source_target.get((l["source_id"], l["target_id"]), {}).values()
        )

    def _breaks_rule_8_l_again(self, l: Link) -> bool:
        """Whether this is broken: a page links to another one once and never to itself."""
        return l["source_id"] == l["target_id"]

    def _breaks_rule_9(self, p: Page) -> bool:
        """Whether this is broken: archived pages are not being edited."""
        return p["status"] == "archived" and p["locked_by_id"] is not None

    def _breaks_rule_10(self, v: Version) -> bool:
        """Whether this is broken: a published version has a day and a length, and a draft has neither."""
        return (
            (v["published_on"] is not None) != (v["status"] == "published")
            or (v["words"] is not None) != (v["status"] == "published")
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
            case "pages":
                self._pages_by_locked_by.setdefault(record["locked_by_id"], {})[record["id"]] = record
                self._pages_by_lower_title.setdefault(record["title"].lower(), {})[record["id"]] = record
                for key in record["only_for_ids"]:
                    self._pages_by_only_for.setdefault(key, {})[record["id"]] = record
                self._pages_by_owner.setdefault(record["owner_id"], {})[record["id"]] = record
                self._pages_by_parent.setdefault(record["parent_id"], {})[record["id"]] = record
                self._pages_by_title.setdefault(record["title"], {})[record["id"]] = record
            case "versions":
                self._versions_by_page.setdefault(record["page_id"], {})[record["id"]] = record
                self._versions_by_page_status.setdefault((record["page_id"], record["status"]), {})[record["id"]] = record
            case "links":
                self._links_by_source.setdefault(record["source_id"], {})[record["id"]] = record
                self._links_by_source_target.setdefault(
                    (record["source_id"], record["target_id"]),
                    {},
                )[record["id"]] = record
                self._links_by_target.setdefault(record["target_id"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "pages":
                del self._pages_by_locked_by[record["locked_by_id"]][record["id"]]
                del self._pages_by_lower_title[record["title"].lower()][record["id"]]
                for key in record["only_for_ids"]:
                    self._pages_by_only_for[key].pop(record["id"], None)
                del self._pages_by_owner[record["owner_id"]][record["id"]]
                del self._pages_by_parent[record["parent_id"]][record["id"]]
                del self._pages_by_title[record["title"]][record["id"]]
            case "versions":
                del self._versions_by_page[record["page_id"]][record["id"]]
                del self._versions_by_page_status[record["page_id"], record["status"]][record["id"]]
            case "links":
                del self._links_by_source[record["source_id"]][record["id"]]
                del self._links_by_source_target[record["source_id"], record["target_id"]][record["id"]]
                del self._links_by_target[record["target_id"]][record["id"]]
