"""Mailbox. Compiled from blueprint.yaml; run `envscaler build mailbox` after changing it there.

Keeps the mail of a small agency's shared mailbox, with folders inside folders, threads and labels, filters that
work in order, drafts and replies, scheduled sending and snoozed mail.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Annotated, Any, Literal, TypedDict


Result = dict[str, Any]
"""`{"success": True, "data" | "message": ...}` or `{"success": False, "error": why}`"""
Date = Annotated[str, {"format": "date"}]
DateTime = Annotated[str, {"format": "date-time"}]
Text = Annotated[str, {"minLength": 1, "maxLength": 1000}]

RULES = (
    "Folders lie at most three deep inside one another.",
    "A folder with everything inside it stays within its limit.",
    "Only threads in the inbox are snoozed.",
    "Threads in the trash carry no labels, and no thread carries a label twice.",
    "What was sent from here counts as read.",
    "Nothing is written to blocked contacts, and nobody is addressed twice.",
    "A scheduled draft has a time and somebody to go to, and no other draft has a time.",
    "A thread has one answer in preparation at a time.",
    "The filters are numbered from one without gaps.",
    "A filter looks at something and does something, and never moves mail to the inbox, the trash or what was sent.",
)
"""What always holds. A call that would break a rule is taken back and answered with it."""

CHANGES = (
    "deliver_message",
    "file_thread",
    "label_thread",
    "snooze_thread",
    "write_draft",
    "change_draft",
    "send_draft",
    "add_filter",
    "drop_filter",
    "run_filters",
    "create_folder",
)
"""The methods that may change something; all others only read."""

LABELS: dict[str, tuple[str, ...]] = {
    "contacts": ("name",),
    "folders": ("name",),
    "labels": ("name",),
    "threads": ("subject",),
    "messages": (),
    "drafts": (),
    "filters": (),
}
"""What people call a record of each container by."""

INDEXED = {
    ("drafts", "subject"),
    ("drafts", "thread_id"),
    ("filters", "rank"),
    ("folders", "name"),
    ("folders", "within_id"),
    ("messages", "thread_id"),
    ("threads", "folder_id"),
    ("threads", "subject"),
}
"""Containers and the attributes by which their records are found without looking at all of them."""


class Contact(TypedDict):
    id: str
    name: str
    firm: str
    blocked: bool


class Folder(TypedDict):
    id: str
    name: str
    within_id: str | None
    kind: Literal["inbox", "archive", "trash", "sent", "own"]
    limit_kb: int | None


class Label(TypedDict):
    id: str
    name: str


class Thread(TypedDict):
    id: str
    subject: str
    folder_id: str
    label_ids: list[str]
    snoozed_until: str | None


class Message(TypedDict):
    id: str
    thread_id: str
    sender_id: str | None
    sent_at: str
    size_kb: int
    read: bool


class Draft(TypedDict):
    id: str
    thread_id: str | None
    to_ids: list[str]
    subject: str
    body: str
    send_at: str | None
    status: Literal["open", "scheduled", "sent", "dropped"]


class Filter(TypedDict):
    id: str
    rank: int
    sender_id: str | None
    firm: str | None
    from_kb: int | None
    move_to_id: str | None
    label_id: str | None
    as_read: bool
    stops: bool


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


def _descending(text: str) -> tuple[int, ...]:
    """A key that sorts texts from last to first."""
    return (*(-ord(char) for char in text), 1)


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


class Mailbox:
    """Keeps the mail of a small agency's shared mailbox, with folders inside folders, threads and labels,
    filters that work in order, drafts and replies, scheduled sending and snoozed mail.
    """

    def __init__(self, init_config: dict[str, Any] | None = None) -> None:
        config = init_config or {}
        self.contacts: dict[str, Contact] = _copied(config.get("contacts", {}))
        self.folders: dict[str, Folder] = _copied(config.get("folders", {}))
        self.labels: dict[str, Label] = _copied(config.get("labels", {}))
        self.threads: dict[str, Thread] = _copied(config.get("threads", {}))
        self.messages: dict[str, Message] = _copied(config.get("messages", {}))
        self.drafts: dict[str, Draft] = _copied(config.get("drafts", {}))
        self.filters: dict[str, Filter] = _copied(config.get("filters", {}))
        self.now: str = config.get("now", "2026-03-18T08:50")
        self.counters: dict[str, int] = {
            "contact": len(self.contacts),
            "folder": len(self.folders),
            "label": len(self.labels),
            "thread": len(self.threads),
            "message": len(self.messages),
            "draft": len(self.drafts),
            "filter": len(self.filters),
            **config.get("counters", {}),
        }
        self._journal: list[tuple[Any, ...]] = []
        self._folders_by_name: dict[Any, dict[str, Folder]] = {}
        self._folders_by_within: dict[Any, dict[str, Folder]] = {}
        self._threads_by_folder: dict[Any, dict[str, Thread]] = {}
        self._threads_by_subject: dict[Any, dict[str, Thread]] = {}
        self._messages_by_thread: dict[Any, dict[str, Message]] = {}
        self._drafts_by_subject: dict[Any, dict[str, Draft]] = {}
        self._drafts_by_thread: dict[Any, dict[str, Draft]] = {}
        self._filters_by_rank: dict[Any, dict[str, Filter]] = {}
        for folder in self.folders.values():
            self._link("folders", folder)
        for thread in self.threads.values():
            self._link("threads", thread)
        for message in self.messages.values():
            self._link("messages", message)
        for draft in self.drafts.values():
            self._link("drafts", draft)
        for filter in self.filters.values():
            self._link("filters", filter)

    def search_threads(
        self,
        contact_id: str | None = None,
        firm: Text | None = None,
        folder_id: str | None = None,
        label_id: str | None = None,
        unread: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Threads by who wrote last, folder (with all that lies inside), label and whether they are unread, the most
        recent first.

        Args:
            contact_id (str, optional): Contact who wrote last in the thread; an id such as CONTACT-00001. If left
                out, it does not narrow the list.
            firm (str, optional): Firm from which somebody wrote in the thread. If left out, it does not narrow the
                list.
            folder_id (str, optional): Folder to look in, with all inside it; an id such as FOLDER-00001. If left
                out, all folders are searched.
            label_id (str, optional): Label that the thread carries; an id such as LABEL-00001. If left out, it
                does not narrow the list.
            unread (bool, optional): Whether the thread has something unread, as opposed to all being read. If left
                out, both are listed.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "threads": records}} or {"success": False, "error": why
                not}
        """
        contact = self.contacts.get(contact_id) if contact_id is not None else None
        if contact_id is not None and contact is None:
            return _refused(f"There is no contact {contact_id!r}.")
        folder = self.folders.get(folder_id) if folder_id is not None else None
        if folder_id is not None and folder is None:
            return _refused(f"There is no folder {folder_id!r}.")
        label = self.labels.get(label_id) if label_id is not None else None
        if label_id is not None and label is None:
            return _refused(f"There is no label {label_id!r}.")
        found = [
            t
            for t in self.threads.values()
            if (contact_id is None or self._thread_last_from(t) is contact)
            and (
                firm is None
                or any(
                    m["sender_id"] is not None
                    and self.contacts[m["sender_id"]]["firm"] == firm
                    for m in self._messages_by_thread.get(t["id"], {}).values()
                )
            )
            and (folder_id is None or self._inside(folder, self.folders[t["folder_id"]]))
            and (label_id is None or label_id in t["label_ids"])
            and (unread is None or unread == (self._thread_unread(t) > 0))
        ]
        found.sort(
            key=lambda t: (
                _descending(self._thread_last_at(t) if self._thread_last_at(t) is not None else self.now),
                t["id"],
                _age(t),
            )
        )
        shown = [
            {
                "id": t["id"],
                "subject": t["subject"],
                "folder": self.folders[t["folder_id"]]["name"],
                "last_from": _id_of(self._thread_last_from(t)),
                "last_at": self._thread_last_at(t),
                "messages_unread": self._thread_unread(t),
                "kb": self._thread_kb(t),
                "labels": [*[l["name"] for l in [self.labels[key] for key in t["label_ids"]]]],
                "snoozed_until": t["snoozed_until"],
            }
            for t in _page(found, offset)
        ]
        return _found(
            {"total": len(found), "threads": shown},
            _names((self.contacts, "name", [row["last_from"] for row in shown])),
        )

    def filters_for(
        self,
        contact_id: str,
        size_kb: Annotated[int, {"minimum": 1, "maximum": 40000}],
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """Which filters would work on a message of some size from a contact, in their order.

        Args:
            contact_id (str): Id of the contact, such as CONTACT-00001.
            size_kb (int): Size of the message, in kB, from 1 to 40000.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "filters": records}} or {"success": False, "error": why
                not}
        """
        contact = self.contacts.get(contact_id)
        if contact is None:
            return _refused(f"There is no contact {contact_id!r}.")
        found = [x for x in self.filters.values() if self._fits(x, contact, size_kb)]
        found.sort(key=lambda x: (x["rank"], _age(x)))
        shown = [{**x} for x in _page(found, offset)]
        return _found({"total": len(found), "filters": shown}, self._names_of_filters(shown))

    def waiting_for_answer(self, offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0) -> Result:
        """Threads in the inbox in which we wrote last, the oldest first.

        Args:
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "threads": records}} or {"success": False, "error": why
                not}
        """
        found = [t for t in self.threads.values() if (self._in_inbox(t) and self._mine_last(t))]
        found.sort(
            key=lambda t: (
                self._thread_last_at(t) if self._thread_last_at(t) is not None else self.now,
                t["id"],
                _age(t),
            )
        )
        return _found(
            {
                "total": len(found),
                "threads": [
                    {
                        "id": t["id"],
                        "subject": t["subject"],
                        "last_at": self._thread_last_at(t),
                        "snoozed_until": t["snoozed_until"],
                    }
                    for t in _page(found, offset)
                ],
            }
        )

    def list_contacts(
        self,
        name: Text | None = None,
        blocked: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the contacts, oldest first, all of them or only some.

        Args:
            name (str, optional): Only contacts whose name contains this text.
            blocked (bool, optional): Only contacts that are blocked (true) or not (false).
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "contacts": records}}
        """
        found = [
            contact
            for contact in self.contacts.values()
            if (name is None or name.casefold() in contact["name"].casefold())
            and (blocked is None or contact["blocked"] == blocked)
        ]
        return _found({"total": len(found), "contacts": [{**contact} for contact in _page(found, offset)]})

    def list_folders(
        self,
        name: Text | None = None,
        within_id: str | None = None,
        kind: Literal["inbox", "archive", "trash", "sent", "own"] | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the folders, oldest first, all of them or only some.

        Args:
            name (str, optional): Only folders whose name contains this text.
            within_id (str, optional): Only folders within this folder.
            kind (str, optional): Only folders with this kind.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "folders": records}}
        """
        if within_id is not None and within_id not in self.folders:
            return _refused(f"There is no folder {within_id!r}.")
        found = [
            folder
            for folder in self.folders.values()
            if (name is None or name.casefold() in folder["name"].casefold())
            and (within_id is None or folder["within_id"] == within_id)
            and (kind is None or folder["kind"] == kind)
        ]
        shown = [self._show_folder(folder) for folder in _page(found, offset)]
        return _found({"total": len(found), "folders": shown}, self._names_of_folders(shown))

    def list_labels(
        self,
        name: Text | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the labels, oldest first, all of them or only some.

        Args:
            name (str, optional): Only labels whose name contains this text.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "labels": records}}
        """
        found = [
            label
            for label in self.labels.values()
            if (name is None or name.casefold() in label["name"].casefold())
        ]
        return _found({"total": len(found), "labels": [{**label} for label in _page(found, offset)]})

    def list_threads(
        self,
        subject: Text | None = None,
        folder_id: str | None = None,
        snoozed_until_from: Date | None = None,
        snoozed_until_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the threads, oldest first, all of them or only some.

        Args:
            subject (str, optional): Only threads whose subject contains this text.
            folder_id (str, optional): Only threads of this folder.
            snoozed_until_from (str, optional): Only threads whose `snoozed_until` is on this day or later.
            snoozed_until_to (str, optional): Only threads whose `snoozed_until` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "threads": records}}
        """
        if folder_id is not None and folder_id not in self.folders:
            return _refused(f"There is no folder {folder_id!r}.")
        found = [
            thread
            for thread in self.threads.values()
            if (subject is None or subject.casefold() in thread["subject"].casefold())
            and (folder_id is None or thread["folder_id"] == folder_id)
            and (
                snoozed_until_from is None
                or (thread["snoozed_until"] is not None and thread["snoozed_until"][:10] >= snoozed_until_from)
            )
            and (
                snoozed_until_to is None
                or (thread["snoozed_until"] is not None and thread["snoozed_until"][:10] <= snoozed_until_to)
            )
        ]
        shown = [self._show_thread(thread) for thread in _page(found, offset)]
        return _found({"total": len(found), "threads": shown}, self._names_of_threads(shown))

    def list_messages(
        self,
        thread_id: str | None = None,
        sender_id: str | None = None,
        read: bool | None = None,
        sent_at_from: Date | None = None,
        sent_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the messages, oldest first, all of them or only some.

        Args:
            thread_id (str, optional): Only messages of this thread.
            sender_id (str, optional): Only messages whose sender is this contact.
            read (bool, optional): Only messages with this value of `read`.
            sent_at_from (str, optional): Only messages whose `sent_at` is on this day or later.
            sent_at_to (str, optional): Only messages whose `sent_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "messages": records}}
        """
        if thread_id is not None and thread_id not in self.threads:
            return _refused(f"There is no thread {thread_id!r}.")
        if sender_id is not None and sender_id not in self.contacts:
            return _refused(f"There is no contact {sender_id!r}.")
        found = [
            message
            for message in self.messages.values()
            if (thread_id is None or message["thread_id"] == thread_id)
            and (sender_id is None or message["sender_id"] == sender_id)
            and (read is None or message["read"] == read)
            and (sent_at_from is None or message["sent_at"][:10] >= sent_at_from)
            and (sent_at_to is None or message["sent_at"][:10] <= sent_at_to)
        ]
        shown = [{**message} for message in _page(found, offset)]
        return _found({"total": len(found), "messages": shown}, self._names_of_messages(shown))

    def list_drafts(
        self,
        thread_id: str | None = None,
        status: Literal["open", "scheduled", "sent", "dropped"] | None = None,
        send_at_from: Date | None = None,
        send_at_to: Date | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the drafts, oldest first, all of them or only some.

        Args:
            thread_id (str, optional): Only drafts of this thread.
            status (str, optional): Only drafts with this status.
            send_at_from (str, optional): Only drafts whose `send_at` is on this day or later.
            send_at_to (str, optional): Only drafts whose `send_at` is on this day or earlier.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "drafts": records}}
        """
        if thread_id is not None and thread_id not in self.threads:
            return _refused(f"There is no thread {thread_id!r}.")
        found = [
            draft
            for draft in self.drafts.values()
            if (thread_id is None or draft["thread_id"] == thread_id)
            and (status is None or draft["status"] == status)
            and (send_at_from is None or (draft["send_at"] is not None and draft["send_at"][:10] >= send_at_from))
            and (send_at_to is None or (draft["send_at"] is not None and draft["send_at"][:10] <= send_at_to))
        ]
        shown = [self._show_draft(draft) for draft in _page(found, offset)]
        return _found({"total": len(found), "drafts": shown}, self._names_of_drafts(shown))

    def list_filters(
        self,
        sender_id: str | None = None,
        move_to_id: str | None = None,
        label_id: str | None = None,
        as_read: bool | None = None,
        stops: bool | None = None,
        offset: Annotated[int, {"minimum": 0, "maximum": 1000000}] = 0,
    ) -> Result:
        """List the filters, oldest first, all of them or only some.

        Args:
            sender_id (str, optional): Only filters whose sender is this contact.
            move_to_id (str, optional): Only filters move to this folder.
            label_id (str, optional): Only filters of this label.
            as_read (bool, optional): Only filters with this value of `as_read`.
            stops (bool, optional): Only filters with this value of `stops`.
            offset (int): How many to skip; fifty are returned at a time. Default: 0.

        Returns:
            dict: {"success": True, "data": {"total": int, "filters": records}}
        """
        if sender_id is not None and sender_id not in self.contacts:
            return _refused(f"There is no contact {sender_id!r}.")
        if move_to_id is not None and move_to_id not in self.folders:
            return _refused(f"There is no folder {move_to_id!r}.")
        if label_id is not None and label_id not in self.labels:
            return _refused(f"There is no label {label_id!r}.")
        found = [
            filter
            for filter in self.filters.values()
            if (sender_id is None or filter["sender_id"] == sender_id)
            and (move_to_id is None or filter["move_to_id"] == move_to_id)
            and (label_id is None or filter["label_id"] == label_id)
            and (as_read is None or filter["as_read"] == as_read)
            and (stops is None or filter["stops"] == stops)
        ]
        shown = [{**filter} for filter in _page(found, offset)]
        return _found({"total": len(found), "filters": shown}, self._names_of_filters(shown))

    def current_time(self) -> Result:
        """Tell the day and the hour.

        Returns:
            dict: {"success": True, "data": {"now": "YYYY-MM-DDTHH:MM", "weekday": its name}}
        """
        return _found(_clock(self.now))

    def deliver_message(
        self,
        sender_id: str,
        size_kb: Annotated[int, {"minimum": 1, "maximum": 40000}],
        thread_id: str | None = None,
        subject: Text | None = None,
    ) -> Result:
        """Take in a message that arrived from a contact, in a thread or with a new subject; the filters work on it in
        their order.

        Args:
            sender_id (str): Contact who wrote the message; an id such as CONTACT-00001.
            size_kb (int): Size of the message, in kB, from 1 to 40000.
            thread_id (str, optional): Thread that the message belongs to, where no subject is given; an id such as
                THREAD-00001. If left out, a new thread is begun under the subject.
            subject (str, optional): Subject of a new thread, not in use yet. If left out, the message goes into
                the thread.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sender = self.contacts.get(sender_id)
        if sender is None:
            return _refused(f"There is no contact {sender_id!r}.")
        thread = self.threads.get(thread_id) if thread_id is not None else None
        if thread_id is not None and thread is None:
            return _refused(f"There is no thread {thread_id!r}.")
        if (thread_id is None) == (subject is None):
            return _refused("Give either the thread that it belongs to or a new subject.")
        if not (subject is None or not self._threads_by_subject.get(subject, {})):
            return _refused(f"There is a thread {subject} already, so the message belongs there.")
        full = self._tight(thread, size_kb)
        if full is not None:
            return _refused(f"{full['name']} is full, so move the thread elsewhere first.")
        home = next(
            (f for f in self.folders.values() if f["kind"] == ("trash" if sender["blocked"] else "inbox")),
            None,
        )
        if home is None:
            return _refused("There is no such folder.")
        done = f"take in a message of {size_kb} kB from {sender['name']}"
        if subject is not None:
            done += f" with the subject {subject}"
        if thread is not None:
            done += f" in {thread['subject']}"
        self._journal = []
        added_threads: list[Any] = []
        added_messages: list[Any] = []
        changed_threads: list[Any] = []
        changed_threads_2: list[Any] = []
        former_folder_ids: list[Any] = []
        changed_threads_3: list[Any] = []
        changed_messages: list[Any] = []
        if thread_id is None and subject is not None:
            new_thread = {
                "id": self._new_id("thread", "THREAD", self.threads),
                "subject": subject,
                "folder_id": home["id"],
                "label_ids": [record["id"] for record in []],
                "snoozed_until": None,
            }
            self._add("threads", new_thread)
            added_threads.append(new_thread)
        for t in [t for t in self.threads.values() if (t is thread or t["subject"] == subject)]:
            message = {
                "id": self._new_id("message", "MESSAGE", self.messages),
                "thread_id": t["id"],
                "sender_id": sender_id,
                "sent_at": self.now,
                "size_kb": size_kb,
                "read": False,
            }
            self._add("messages", message)
            added_messages.append(message)
            changed_threads.append(t)
            self._put("threads", t, "snoozed_until", None)
            if self.folders[t["folder_id"]]["kind"] == "archive":
                changed_threads_2.append(t)
                former_folder_ids.append(t["folder_id"])
                self._put("threads", t, "folder_id", home["id"])
                if home["kind"] == "trash":
                    changed_threads_3.append(t)
                    self._put("threads", t, "label_ids", [])
            going = self.folders[t["folder_id"]]["kind"] != "trash"
            for x in sorted(
                [x for x in self.filters.values() if self._fits(x, sender, size_kb)],
                key=lambda x: (x["rank"], _age(x)),
            ):
                if going:
                    if x["move_to_id"] is not None and self._too_full(self.folders[x["move_to_id"]], t) is None:
                        changed_threads_2.append(t)
                        former_folder_ids.append(t["folder_id"])
                        self._put("threads", t, "folder_id", x["move_to_id"])
                    if x["label_id"] is not None:
                        changed_threads_3.append(t)
                        self._put(
                            "threads",
                            t,
                            "label_ids",
                            [record["id"] for record in _those(self.labels, [*t["label_ids"], x["label_id"]])],
                        )
                    if x["as_read"]:
                        for m in [
                            m
                            for m in sorted(self._messages_by_thread.get(t["id"], {}).values(), key=_age)
                            if not m["read"]
                        ]:
                            changed_messages.append(m)
                            self._put("messages", m, "read", True)
                    if x["stops"]:
                        going = False
        for one_thread in added_threads:
            if len(self._threads_by_subject.get(one_thread["subject"], {})) > 1:
                return self._take_back(f"There is already a thread with the subject {one_thread['subject']!r}.")
        for one_folder in _distinct(
            [
                *[self.folders[one["folder_id"]] for one in added_threads],
                *[
                    user
                    for one in [self.folders[one["folder_id"]] for one in added_threads]
                    for user in _above(self.folders, one, "within_id")
                ],
                *[
                    self.folders[one["folder_id"]]
                    for one in [self.threads[one["thread_id"]] for one in added_messages]
                ],
                *[
                    user
                    for one in [
                        self.folders[one["folder_id"]]
                        for one in [self.threads[one["thread_id"]] for one in added_messages]
                    ]
                    for user in _above(self.folders, one, "within_id")
                ],
                *[self.folders[one["folder_id"]] for one in changed_threads_2],
                *[self.folders.get(key) for key in former_folder_ids],
                *[
                    user
                    for one in [self.folders[one["folder_id"]] for one in changed_threads_2]
                    for user in _above(self.folders, one, "within_id")
                ],
                *[
                    user
                    for one in [self.folders.get(key) for key in former_folder_ids]
                    if one is not None
                    for user in _above(self.folders, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_2(one_folder):
                return self._take_back(RULES[1])
        for one_thread_2 in _distinct([*added_threads, *changed_threads, *changed_threads_2]):
            if self._breaks_rule_3(one_thread_2):
                return self._take_back(RULES[2])
        for one_thread_2 in _distinct([*added_threads, *changed_threads_2, *changed_threads_3]):
            if self._breaks_rule_4(one_thread_2):
                return self._take_back(RULES[3])
        for one_message in _distinct([*added_messages, *changed_messages]):
            if self._breaks_rule_5(one_message):
                return self._take_back(RULES[4])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def file_thread(self, thread_id: str, folder_id: str | None = None, read: bool | None = None) -> Result:
        """Put a thread into another folder, mark all of it as read or as unread, or both; in the trash it loses its
        labels, and outside the inbox it is no longer snoozed.

        Args:
            thread_id (str): Id of the thread, such as THREAD-00001.
            folder_id (str, optional): Folder that takes the thread, not the one for sent mail; an id such as
                FOLDER-00001. If left out, the thread stays where it is.
            read (bool, optional): Whether all of it is marked as read, as opposed to unread. If left out, the
                marks stay as they are.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        thread = self.threads.get(thread_id)
        if thread is None:
            return _refused(f"There is no thread {thread_id!r}.")
        folder = self.folders.get(folder_id) if folder_id is not None else None
        if folder_id is not None and folder is None:
            return _refused(f"There is no folder {folder_id!r}.")
        if folder_id is None and read is None:
            return _refused("Say where the thread goes, or whether it is read.")
        if folder_id is not None and folder["kind"] == "sent":
            return _refused("Nothing is filed under what was sent.")
        there = folder or self.folders[thread["folder_id"]]
        if folder_id is not None and folder_id == thread["folder_id"]:
            return _refused(f"{thread['subject']} is in {there['name']} already.")
        full = self._too_full(there, thread)
        if full is not None:
            return _refused(f"{full['name']} is full, the {self._thread_kb(thread)} kB do not fit.")
        if not (
            read is None
            or any(
                m["read"] != read
                for m in self._messages_by_thread.get(thread_id, {}).values()
                if m["sender_id"] is not None
            )
        ):
            return _refused(f"{thread['subject']} is marked like that already.")
        self._journal = []
        changed_threads: list[Any] = []
        changed_threads_2: list[Any] = []
        changed_messages: list[Any] = []
        former_folder_id = thread["folder_id"]
        self._put("threads", thread, "folder_id", there["id"])
        if there["kind"] != "inbox":
            changed_threads.append(thread)
            self._put("threads", thread, "snoozed_until", None)
        if there["kind"] == "trash":
            changed_threads_2.append(thread)
            self._put("threads", thread, "label_ids", [])
        if read is not None:
            for m in [
                m
                for m in sorted(self._messages_by_thread.get(thread_id, {}).values(), key=_age)
                if m["sender_id"] is not None
            ]:
                changed_messages.append(m)
                self._put("messages", m, "read", read)
        for one_folder in _distinct(
            [
                self.folders[thread["folder_id"]],
                self.folders[former_folder_id],
                *_above(self.folders, self.folders[thread["folder_id"]], "within_id"),
                *_above(self.folders, self.folders[former_folder_id], "within_id"),
            ]
        ):
            if self._breaks_rule_2(one_folder):
                return self._take_back(RULES[1])
        for one_thread in _distinct([thread, *changed_threads]):
            if self._breaks_rule_3(one_thread):
                return self._take_back(RULES[2])
        for one_thread in _distinct([thread, *changed_threads_2]):
            if self._breaks_rule_4(one_thread):
                return self._take_back(RULES[3])
        for one_message in _distinct(changed_messages):
            if self._breaks_rule_5(one_message):
                return self._take_back(RULES[4])
        done = f"file {thread['subject']}"
        if folder is not None:
            done += f" in {folder['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def label_thread(self, thread_id: str, label_id: str, on: bool = True) -> Result:
        """Put a label on a thread, or take it off.

        Args:
            thread_id (str): Id of the thread, such as THREAD-00001.
            label_id (str): Id of the label, such as LABEL-00001.
            on (bool): Whether the label is put on, as opposed to taken off. Default: true.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        thread = self.threads.get(thread_id)
        if thread is None:
            return _refused(f"There is no thread {thread_id!r}.")
        label = self.labels.get(label_id)
        if label is None:
            return _refused(f"There is no label {label_id!r}.")
        if on != (label_id not in thread["label_ids"]):
            return _refused(f"For {label['name']} it is as wanted already.")
        if self.folders[thread["folder_id"]]["kind"] == "trash":
            return _refused(f"{thread['subject']} lies in the trash.")
        self._journal = []
        self._put(
            "threads",
            thread,
            "label_ids",
            [
                record["id"]
                for record in [
                    l
                    for l in _those(self.labels, [*thread["label_ids"], label_id])
                    if (l["id"] in thread["label_ids"] and l is not label or l is label and on)
                ]
            ],
        )
        if self._breaks_rule_4(thread):
            return self._take_back(RULES[3])
        return {
            "success": True,
            "message": f"Done: change the label {label['name']} on {thread['subject']}.",
            "data": self._changes(),
        }

    def snooze_thread(self, thread_id: str, until: DateTime | None = None) -> Result:
        """Hide a thread of the inbox until a time, or bring it back where none is given.

        Args:
            thread_id (str): Id of the thread, such as THREAD-00001.
            until (str, optional): Moment at which the thread shows up again, after now, as YYYY-MM-DDTHH:MM. If
                left out, the thread is brought back at once.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        thread = self.threads.get(thread_id)
        if thread is None:
            return _refused(f"There is no thread {thread_id!r}.")
        if self.folders[thread["folder_id"]]["kind"] != "inbox":
            return _refused(
                f"{thread['subject']} is in {self.folders[thread['folder_id']]['name']}; only what is in the "
                "inbox can be snoozed."
            )
        if until is not None and until <= self.now:
            return _refused(f"{until} is past.")
        if until == thread["snoozed_until"]:
            return _refused(f"{thread['subject']} is snoozed like that already.")
        self._journal = []
        self._put("threads", thread, "snoozed_until", until)
        if self._breaks_rule_3(thread):
            return self._take_back(RULES[2])
        done = f"snooze {thread['subject']}"
        if until is not None:
            done += f" until {until}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def write_draft(
        self,
        body: Text,
        thread_id: str | None = None,
        to_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
        subject: Text | None = None,
    ) -> Result:
        """Begin a draft, as an answer in a thread (to whoever wrote there last where nobody is named) or as a new
        message.

        Args:
            body (str): Text of the message.
            thread_id (str, optional): Thread that is answered, where no subject is given; an id such as
                THREAD-00001. If left out, a new message is begun under the subject.
            to_ids (list): Contacts who are to receive it, none of them blocked: ids of contacts, such as
                CONTACT-00001. If left out, it goes to whoever wrote last in the thread, or to nobody yet.
            subject (str, optional): Subject of a new message, not in use yet. If left out, the thread is answered
                under its own subject.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        thread = self.threads.get(thread_id) if thread_id is not None else None
        if thread_id is not None and thread is None:
            return _refused(f"There is no thread {thread_id!r}.")
        to = []
        for key in to_ids or []:
            if key not in self.contacts:
                return _refused(f"There is no contact {key!r}.")
            to.append(self.contacts[key])
        if (thread_id is None) == (subject is None):
            return _refused("Give either the thread that is answered or a new subject.")
        if not _different([c["id"] for c in to]):
            return _refused("A recipient is named twice.")
        who = self._thread_last_from(thread) if thread_id is not None else None
        bad = next(
            (
                c
                for c in _those(
                    self.contacts,
                    [*[record["id"] for record in to], (who["id"] if who is not None else None)],
                )
                if c["blocked"]
                and (c in to or len(to) == 0 and c is who)
            ),
            None,
        )
        if bad is not None:
            return _refused(f"{bad['name']} is blocked.")
        if not (
            thread_id is None
            or not any(
                d["status"] in ("open", "scheduled")
                for d in self._drafts_by_thread.get(thread_id, {}).values()
            )
        ):
            return _refused("An answer in that thread has been begun already.")
        if not (subject is None or not self._threads_by_subject.get(subject, {})):
            return _refused(f"There is a thread {subject} already, so answer there.")
        if not (
            subject is None
            or not any(
                d["status"] in ("open", "scheduled")
                for d in self._drafts_by_subject.get(subject, {}).values()
                if d["thread_id"] is None
            )
        ):
            return _refused(f"There is a draft {subject} already.")
        self._journal = []
        draft: Draft = {
            "id": self._new_id("draft", "DRAFT", self.drafts),
            "thread_id": thread_id,
            "to_ids": [
                record["id"]
                for record in [
                    c
                    for c in _those(
                        self.contacts,
                        [*[record["id"] for record in to], (who["id"] if who is not None else None)],
                    )
                    if (c in to or len(to) == 0 and c is who)
                ]
            ],
            "subject": subject if subject is not None else thread[
                "subject"
            ] if thread_id is not None else "no subject",
            "body": body,
            "send_at": None,
            "status": "open",
        }
        self._add("drafts", draft)
        if self._breaks_rule_6(draft):
            return self._take_back(RULES[5])
        if self._breaks_rule_7(draft):
            return self._take_back(RULES[6])
        if self._breaks_rule_8(draft):
            return self._take_back(RULES[7])
        done = "begin a draft"
        if subject is not None:
            done += f" on {subject}"
        if thread is not None:
            done += f" in {thread['subject']}"
        return {
            "success": True,
            "message": f"Done: {done} (new: draft {draft['id']}).",
            "data": {"draft_id": draft["id"], **self._changes()},
        }

    def change_draft(
        self,
        draft_id: str,
        body: Text | None = None,
        to_ids: Annotated[list[str], {"maxItems": 20}] | None = None,
        drop: bool = False,
    ) -> Result:
        """Change a draft that is not sent, or drop it; a scheduled one is taken back by any change.

        Args:
            draft_id (str): Id of the draft, such as DRAFT-00001.
            body (str, optional): New text of the message. If left out, the text stays as it is.
            to_ids (list): Contacts who are to receive it instead, none of them blocked: ids of contacts, such as
                CONTACT-00001. If left out, the recipients stay as they are.
            drop (bool): Whether the draft is dropped instead of changed. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        draft = self.drafts.get(draft_id)
        if draft is None:
            return _refused(f"There is no draft {draft_id!r}.")
        to = []
        for key in to_ids or []:
            if key not in self.contacts:
                return _refused(f"There is no contact {key!r}.")
            to.append(self.contacts[key])
        if draft["status"] not in ("open", "scheduled"):
            return _refused(f"The draft is {draft['status']}.")
        if not (_different([c["id"] for c in to]) and not any(c["blocked"] for c in to)):
            return _refused("Somebody is named twice or blocked.")
        if not (drop or body is not None or len(to) > 0 or draft["status"] == "scheduled"):
            return _refused("Nothing would change.")
        if not (not drop or body is None and len(to) == 0):
            return _refused("Either change the draft or drop it.")
        self._journal = []
        changed_drafts: list[Any] = []
        changed_drafts_2: list[Any] = []
        self._put("drafts", draft, "send_at", None)
        if drop:
            changed_drafts.append(draft)
            self._put("drafts", draft, "status", "dropped")
        else:
            self._put("drafts", draft, "body", body if body is not None else draft["body"])
            if len(to) > 0:
                changed_drafts_2.append(draft)
                self._put(
                    "drafts",
                    draft,
                    "to_ids",
                    [record["id"] for record in _those(self.contacts, [record["id"] for record in to])],
                )
            if draft["status"] == "scheduled":
                if draft["status"] not in ("open", "scheduled"):
                    return self._take_back(f"Draft {draft['id']} cannot go from {draft['status']} to open.")
                changed_drafts.append(draft)
                self._put("drafts", draft, "status", "open")
        for one_draft in _distinct([*changed_drafts, *changed_drafts_2]):
            if self._breaks_rule_6(one_draft):
                return self._take_back(RULES[5])
        for one_draft in _distinct([draft, *changed_drafts, *changed_drafts_2]):
            if self._breaks_rule_7(one_draft):
                return self._take_back(RULES[6])
        for one_draft in _distinct(changed_drafts):
            if self._breaks_rule_8(one_draft):
                return self._take_back(RULES[7])
        return {"success": True, "message": f"Done: change the draft on {draft['subject']}.", "data": self._changes()}

    def send_draft(self, draft_id: str, at: DateTime | None = None, then_file_id: str | None = None) -> Result:
        """Send a draft now (also a scheduled one whose time has come) or schedule it; what is sent counts 8 kB and
        goes to its thread or to a new one under what was sent, and the thread may be filed with it.

        Args:
            draft_id (str): Id of the draft, such as DRAFT-00001.
            at (str, optional): Moment at which it is to be sent, after now, as YYYY-MM-DDTHH:MM. If left out, it
                is sent at once.
            then_file_id (str, optional): Archive or own folder that takes the answered thread, only when sending
                now; an id such as FOLDER-00001. If left out, the thread stays where it is.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        draft = self.drafts.get(draft_id)
        if draft is None:
            return _refused(f"There is no draft {draft_id!r}.")
        then_file = self.folders.get(then_file_id) if then_file_id is not None else None
        if then_file_id is not None and then_file is None:
            return _refused(f"There is no folder {then_file_id!r}.")
        if not (
            draft["status"] == "open"
            or draft["status"] == "scheduled"
            and at is None
            and draft["send_at"] is not None
            and draft["send_at"] <= self.now
        ):
            return _refused(
                f"The draft is {draft['status']}; what is scheduled goes out when its time has come, or is taken "
                "back first."
            )
        if len(draft["to_ids"]) <= 0:
            return _refused(f"The draft on {draft['subject']} is addressed to nobody.")
        if at is not None and at <= self.now:
            return _refused(f"{at} is past.")
        if not (
            then_file_id is None
            or at is None
            and draft["thread_id"] is not None
            and then_file["kind"] in ("own", "archive")
        ):
            return _refused(
                "Only an answer that is sent now can be filed with its thread, in the archive or a folder of "
                "your own."
            )
        full = self._tight(self.threads.get(draft["thread_id"]), 8)
        if at is None and full is not None:
            return _refused(f"{full['name']} is full, so file the thread elsewhere first.")
        place = next((f for f in self.folders.values() if f["kind"] == "sent"), None)
        if place is None:
            return _refused("There is no folder for what was sent.")
        if not (
            then_file_id is None
            or draft["thread_id"] is None
            or self._too_full(then_file, self.threads[draft["thread_id"]]) is None
            and (
                then_file["limit_kb"] is None
                or self._folder_kb(then_file) + self._thread_kb(
                    self.threads[draft["thread_id"]]
                ) + 8 <= then_file["limit_kb"]
            )
        ):
            return _refused("The thread does not fit into that folder.")
        if not (
            draft["thread_id"] is not None
            or at is not None
            or not self._threads_by_subject.get(draft["subject"], {})
        ):
            return _refused(f"There is a thread {draft['subject']} by now, so answer there.")
        self._journal = []
        changed_drafts: list[Any] = []
        changed_drafts_2: list[Any] = []
        added_threads: list[Any] = []
        added_messages: list[Any] = []
        changed_threads: list[Any] = []
        former_folder_ids: list[Any] = []
        changed_threads_2: list[Any] = []
        if at is not None:
            changed_drafts.append(draft)
            self._put("drafts", draft, "send_at", at)
            if draft["status"] not in ("open", "scheduled"):
                return self._take_back(f"Draft {draft['id']} cannot go from {draft['status']} to scheduled.")
            changed_drafts_2.append(draft)
            self._put("drafts", draft, "status", "scheduled")
        else:
            changed_drafts.append(draft)
            self._put("drafts", draft, "send_at", None)
            if draft["status"] not in ("open", "scheduled", "sent"):
                return self._take_back(f"Draft {draft['id']} cannot go from {draft['status']} to sent.")
            changed_drafts_2.append(draft)
            self._put("drafts", draft, "status", "sent")
            if draft["thread_id"] is None:
                started = {
                    "id": self._new_id("thread", "THREAD", self.threads),
                    "subject": draft["subject"],
                    "folder_id": place["id"],
                    "label_ids": [record["id"] for record in []],
                    "snoozed_until": None,
                }
                self._add("threads", started)
                added_threads.append(started)
                message = {
                    "id": self._new_id("message", "MESSAGE", self.messages),
                    "thread_id": started["id"],
                    "sender_id": None,
                    "sent_at": self.now,
                    "size_kb": 8,
                    "read": True,
                }
                self._add("messages", message)
                added_messages.append(message)
            for t in _those(self.threads, [draft["thread_id"]]):
                new_message = {
                    "id": self._new_id("message", "MESSAGE", self.messages),
                    "thread_id": t["id"],
                    "sender_id": None,
                    "sent_at": self.now,
                    "size_kb": 8,
                    "read": True,
                }
                self._add("messages", new_message)
                added_messages.append(new_message)
                if then_file_id is not None:
                    changed_threads.append(t)
                    former_folder_ids.append(t["folder_id"])
                    self._put("threads", t, "folder_id", then_file_id)
                    changed_threads_2.append(t)
                    self._put("threads", t, "snoozed_until", None)
        for one_thread in added_threads:
            if len(self._threads_by_subject.get(one_thread["subject"], {})) > 1:
                return self._take_back(f"There is already a thread with the subject {one_thread['subject']!r}.")
        for one_folder in _distinct(
            [
                *[self.folders[one["folder_id"]] for one in added_threads],
                *[
                    user
                    for one in [self.folders[one["folder_id"]] for one in added_threads]
                    for user in _above(self.folders, one, "within_id")
                ],
                *[
                    self.folders[one["folder_id"]]
                    for one in [self.threads[one["thread_id"]] for one in added_messages]
                ],
                *[
                    user
                    for one in [
                        self.folders[one["folder_id"]]
                        for one in [self.threads[one["thread_id"]] for one in added_messages]
                    ]
                    for user in _above(self.folders, one, "within_id")
                ],
                *[self.folders[one["folder_id"]] for one in changed_threads],
                *[self.folders.get(key) for key in former_folder_ids],
                *[
                    user
                    for one in [self.folders[one["folder_id"]] for one in changed_threads]
                    for user in _above(self.folders, one, "within_id")
                ],
                *[
                    user
                    for one in [self.folders.get(key) for key in former_folder_ids]
                    if one is not None
                    for user in _above(self.folders, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_2(one_folder):
                return self._take_back(RULES[1])
        for one_thread_2 in _distinct([*added_threads, *changed_threads, *changed_threads_2]):
            if self._breaks_rule_3(one_thread_2):
                return self._take_back(RULES[2])
        for one_thread_2 in _distinct([*added_threads, *changed_threads]):
            if self._breaks_rule_4(one_thread_2):
                return self._take_back(RULES[3])
        for one_message in _distinct(added_messages):
            if self._breaks_rule_5(one_message):
                return self._take_back(RULES[4])
        for one_draft in _distinct(changed_drafts_2):
            if self._breaks_rule_6(one_draft):
                return self._take_back(RULES[5])
        for one_draft in _distinct([*changed_drafts, *changed_drafts_2]):
            if self._breaks_rule_7(one_draft):
                return self._take_back(RULES[6])
        for one_draft in _distinct(changed_drafts_2):
            if self._breaks_rule_8(one_draft):
                return self._take_back(RULES[7])
        done = f"send the draft on {draft['subject']}"
        if at is not None:
            done += f" at {at}"
        if then_file is not None:
            done += f" and file the thread in {then_file['name']}"
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def add_filter(
        self,
        rank: Annotated[int, {"minimum": 1, "maximum": 99}],
        sender_id: str | None = None,
        firm: Text | None = None,
        from_kb: Annotated[int, {"minimum": 1, "maximum": 40000}] | None = None,
        move_to_id: str | None = None,
        label_id: str | None = None,
        as_read: bool = False,
        stops: bool = False,
    ) -> Result:
        """Add a filter at a place in the order; those from there on move back by one.

        Args:
            rank (int): Place in the order, at most one after the last filter, from 1 to 99.
            sender_id (str, optional): Contact from whom the mail must come; an id such as CONTACT-00001. If left
                out, mail from anybody fits.
            firm (str, optional): Firm from which the mail must come, spelled as in the contacts. If left out, mail
                from any firm fits.
            from_kb (int, optional): Smallest size of the mail, in kB, from 1 to 40000. If left out, mail of any
                size fits.
            move_to_id (str, optional): Archive or own folder that takes the mail; an id such as FOLDER-00001. If
                left out, the mail is not moved.
            label_id (str, optional): Label that is put on the mail; an id such as LABEL-00001. If left out, no
                label is put on it.
            as_read (bool): Whether the mail is marked as read. Default: false.
            stops (bool): Whether later filters leave the mail alone. Default: false.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        sender = self.contacts.get(sender_id) if sender_id is not None else None
        if sender_id is not None and sender is None:
            return _refused(f"There is no contact {sender_id!r}.")
        move_to = self.folders.get(move_to_id) if move_to_id is not None else None
        if move_to_id is not None and move_to is None:
            return _refused(f"There is no folder {move_to_id!r}.")
        label = self.labels.get(label_id) if label_id is not None else None
        if label_id is not None and label is None:
            return _refused(f"There is no label {label_id!r}.")
        if sender_id is None and firm is None and from_kb is None:
            return _refused("A filter must look at a sender, a firm or a size.")
        if not (move_to_id is not None or label_id is not None or as_read):
            return _refused("A filter must do something.")
        if move_to_id is not None and move_to["kind"] not in ("own", "archive"):
            return _refused(
                f"A filter moves mail to the archive or to a folder of your own, not to {move_to['name']}."
            )
        if rank > len(self.filters) + 1:
            return _refused(
                f"The filters are numbered without gaps, so the next free number is {len(self.filters) + 1}."
            )
        if len(self.filters) >= 90:
            return _refused("There are too many filters.")
        self._journal = []
        changed_filters: list[Any] = []
        for x in sorted([x for x in self.filters.values() if x["rank"] >= rank], key=lambda x: (-x["rank"], _age(x))):
            new_rank = x["rank"] + 1
            if not 1 <= new_rank <= 99:
                return self._take_back(f"The rank of {x['id']} must be between 1 and 99.")
            changed_filters.append(x)
            self._put("filters", x, "rank", new_rank)
        filter: Filter = {
            "id": self._new_id("filter", "FILTER", self.filters),
            "rank": rank,
            "sender_id": sender_id,
            "firm": firm,
            "from_kb": from_kb,
            "move_to_id": move_to_id,
            "label_id": label_id,
            "as_read": as_read,
            "stops": stops,
        }
        self._add("filters", filter)
        for one_filter in _distinct([filter, *changed_filters]):
            if self._breaks_rule_9_x(one_filter):
                return self._take_back(RULES[8])
        if any(self._breaks_rule_9_x_again(one_filter) for one_filter in self.filters.values()):
            return self._take_back(RULES[8])
        if self._breaks_rule_10(filter):
            return self._take_back(RULES[9])
        return {
            "success": True,
            "message": f"Done: add a filter as number {rank} (new: filter {filter['id']}).",
            "data": {"filter_id": filter["id"], **self._changes()},
        }

    def drop_filter(self, filter_id: str) -> Result:
        """Drop a filter; those after it move up.

        Args:
            filter_id (str): Id of the filter, such as FILTER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        filter = self.filters.get(filter_id)
        if filter is None:
            return _refused(f"There is no filter {filter_id!r}.")
        done = f"drop filter number {filter['rank']}"
        self._journal = []
        changed_filters: list[Any] = []
        gap = filter["rank"]
        self._remove("filters", filter)
        for x in sorted([x for x in self.filters.values() if x["rank"] > gap], key=lambda x: (x["rank"], _age(x))):
            rank = x["rank"] - 1
            if not 1 <= rank <= 99:
                return self._take_back(f"The rank of {x['id']} must be between 1 and 99.")
            changed_filters.append(x)
            if x["id"] in self.filters:
                self._put("filters", x, "rank", rank)
        for one_filter in _distinct(changed_filters):
            if one_filter["id"] in self.filters and self._breaks_rule_9_x(one_filter):
                return self._take_back(RULES[8])
        if any(self._breaks_rule_9_x_again(one_filter) for one_filter in self.filters.values()):
            return self._take_back(RULES[8])
        return {"success": True, "message": f"Done: {done}.", "data": self._changes()}

    def run_filters(self, folder_id: str) -> Result:
        """Let the filters work in their order on every thread of a folder, by whoever wrote there last.

        Args:
            folder_id (str): Id of the folder, such as FOLDER-00001.

        Returns:
            dict: {"success": True, "message": what was done, "data": what changed}
                or {"success": False, "error": why it cannot be done}
        """
        folder = self.folders.get(folder_id)
        if folder is None:
            return _refused(f"There is no folder {folder_id!r}.")
        if folder["kind"] in ("trash", "sent"):
            return _refused(f"The filters do not work in {folder['name']}.")
        if not any(
            any(self._fits(x, self._thread_last_from(t), self._thread_kb(t)) for x in self.filters.values())
            for t in self._threads_by_folder.get(folder_id, {}).values()
            if self._thread_last_from(t) is not None
        ):
            return _refused(f"No filter fits anything in {folder['name']}.")
        self._journal = []
        changed_threads: list[Any] = []
        former_folder_ids: list[Any] = []
        changed_threads_2: list[Any] = []
        changed_threads_3: list[Any] = []
        changed_messages: list[Any] = []
        for t in sorted(self._threads_by_folder.get(folder_id, {}).values(), key=_age):
            for c in _those(
                self.contacts,
                [_id_of(min([((_descending(m["sent_at"]),), self.contacts[m["sender_id"]]) for m in sorted(self._messages_by_thread.get(t["id"], {}).values(), key=_age) if m["sender_id"] is not None], key=lambda pair: pair[0], default=(None, None))[1])],
            ):
                going = True
                kb = self._thread_kb(t)
                for x in sorted(
                    [x for x in self.filters.values() if self._fits(x, c, kb)],
                    key=lambda x: (x["rank"], _age(x)),
                ):
                    if going:
                        if x["move_to_id"] is not None and self._too_full(self.folders[x["move_to_id"]], t) is None:
                            changed_threads.append(t)
                            former_folder_ids.append(t["folder_id"])
                            self._put("threads", t, "folder_id", x["move_to_id"])
                            changed_threads_2.append(t)
                            self._put("threads", t, "snoozed_until", None)
                        if x["label_id"] is not None:
                            changed_threads_3.append(t)
                            self._put(
                                "threads",
                                t,
                                "label_ids",
                                [record["id"] for record in _those(self.labels, [*t["label_ids"], x["label_id"]])],
                            )
                        if x["as_read"]:
                            for m in [
                                m
                                for m in sorted(self._messages_by_thread.get(t["id"], {}).values(), key=_age)
                                if not m["read"]
                            ]:
                                changed_messages.append(m)
                                self._put("messages", m, "read", True)
                        if x["stops"]:
                            going = False
        for one_folder in _distinct(
            [
                *[self.folders[one["folder_id"]] for one in changed_threads],
                *[self.folders.get(key) for key in former_folder_ids],
                *[
                    user
                    for one in [self.folders[one["folder_id"]] for one in changed_threads]
                    for user in _above(self.folders, one, "within_id")
                ],
                *[
                    user
                    for one in [self.folders.get(key) for key in former_folder_ids]
                    if one is not None
                    for user in _above(self.folders, one, "within_id")
                ],
            ]
        ):
            if self._breaks_rule_2(one_folder):
                return self._take_back(RULES[1])
        for one_thread in _distinct([*changed_threads, *changed_threads_2]):
            if self._breaks_rule_3(one_thread):
                return self._take_back(RULES[2])
        for one_thread in _distinct([*changed_threads, *changed_threads_3]):
            if self._breaks_rule_4(one_thread):
                return self._take_back(RULES[3])
        for one_message in _distinct(changed_messages):
            if self._breaks_rule_5(one_message):
                return self._take_back(RULES[4])
        return {"success": True, "message": f"Done: run the filters over {folder['name']}.", "data": self._changes()}

    def create_folder(
        self,
        name: Text,
        within_id: str | None = None,
        limit_kb: Annotated[int, {"minimum": 100, "maximum": 900000}] | None = None,
    ) -> Result:
        """Create a folder of your own, perhaps inside another one of your own.

        Args:
            name (str): Name of the new folder, not in use yet.
            within_id (str, optional): Own folder in which it is made; an id such as FOLDER-00001. If left out, it
                is made at the top.
            limit_kb (int, optional): Most that the folder may hold, in kB, from 100 to 900000. If left out, the
                folder has no limit.

        Returns:
            dict: {"success": True, "message": what was done, "data": ids of what was created, and what changed}
                or {"success": False, "error": why it cannot be done}
        """
        within = self.folders.get(within_id) if within_id is not None else None
        if within_id is not None and within is None:
            return _refused(f"There is no folder {within_id!r}.")
        if self._folders_by_name.get(name, {}):
            return _refused(f"There is a folder {name} already.")
        if within_id is not None and within["kind"] != "own":
            return _refused("Folders are made inside folders of your own.")
        if within_id is not None and len(_above(self.folders, within, "within_id")) >= 3:
            return _refused(f"{within['name']} lies too deep for that.")
        done = f"create the folder {name}"
        if within is not None:
            done += f" inside {within['name']}"
        self._journal = []
        folder: Folder = {
            "id": self._new_id("folder", "FOLDER", self.folders),
            "name": name,
            "within_id": within_id,
            "kind": "own",
            "limit_kb": limit_kb,
        }
        self._add("folders", folder)
        if len(self._folders_by_name.get(folder["name"], {})) > 1:
            return self._take_back(f"There is already a folder with the name {folder['name']!r}.")
        if self._breaks_rule_1(folder):
            return self._take_back(RULES[0])
        if self._breaks_rule_2(folder):
            return self._take_back(RULES[1])
        return {
            "success": True,
            "message": f"Done: {done} (new: folder {folder['id']}).",
            "data": {"folder_id": folder["id"], **self._changes()},
        }

    def _show_folder(self, folder: Folder) -> dict[str, Any]:
        """The folder as an answer shows it."""
        return {**folder, "kb": self._folder_kb(folder), "unread": self._folder_unread(folder)}

    def _show_thread(self, thread: Thread) -> dict[str, Any]:
        """The thread as an answer shows it."""
        return {
            **thread,
            "label_ids": [*thread["label_ids"]],
            "kb": self._thread_kb(thread),
            "unread": self._thread_unread(thread),
            "last_at": self._thread_last_at(thread),
            "last_from_id": _id_of(self._thread_last_from(thread)),
        }

    def _show_draft(self, draft: Draft) -> dict[str, Any]:
        """The draft as an answer shows it."""
        return {**draft, "to_ids": [*draft["to_ids"]]}

    def _names_of_folders(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that folders point to."""
        return _names((self.folders, "name", [row["within_id"] for row in shown]))

    def _names_of_threads(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that threads point to."""
        return _names(
            (self.folders, "name", [row["folder_id"] for row in shown]),
            (self.labels, "name", [each for row in shown for each in row["label_ids"]]),
            (self.contacts, "name", [row["last_from_id"] for row in shown]),
        )

    def _names_of_messages(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that messages point to."""
        return _names(
            (self.threads, "subject", [row["thread_id"] for row in shown]),
            (self.contacts, "name", [row["sender_id"] for row in shown]),
        )

    def _names_of_drafts(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that drafts point to."""
        return _names(
            (self.threads, "subject", [row["thread_id"] for row in shown]),
            (self.contacts, "name", [each for row in shown for each in row["to_ids"]]),
        )

    def _names_of_filters(self, shown: list[Any]) -> dict[str, str]:
        """What people call the records that filters point to."""
        return _names(
            (self.contacts, "name", [row["sender_id"] for row in shown]),
            (self.folders, "name", [row["move_to_id"] for row in shown]),
            (self.labels, "name", [row["label_id"] for row in shown]),
        )

    def _folder_kb(self, folder: Folder) -> int:
        """The kb of a folder."""
        return sum(
            self._thread_kb(t)
            for t in _distinct(
                [
                    t
                    for key in [folder["id"], *[record["id"] for record in _below(self._folders_by_within, folder)]]
                    for t in self._threads_by_folder.get(key, {}).values()
                ]
            )
        )

    def _folder_unread(self, folder: Folder) -> int:
        """The unread of a folder."""
        return sum(
            1
            for t in _distinct(
                [
                    t
                    for key in [folder["id"], *[record["id"] for record in _below(self._folders_by_within, folder)]]
                    for t in self._threads_by_folder.get(key, {}).values()
                ]
            )
            if self._thread_unread(t) > 0
        )

    def _thread_kb(self, thread: Thread) -> int:
        """The kb of a thread."""
        return sum(m["size_kb"] for m in self._messages_by_thread.get(thread["id"], {}).values())

    def _thread_unread(self, thread: Thread) -> int:
        """The unread of a thread."""
        return sum(1 for m in self._messages_by_thread.get(thread["id"], {}).values() if not m["read"])

    def _thread_last_at(self, thread: Thread) -> str | None:
        """The last at of a thread."""
        return max((m["sent_at"] for m in self._messages_by_thread.get(thread["id"], {}).values()), default=None)

    def _thread_last_from(self, thread: Thread) -> Contact | None:
        """The last from of a thread."""
        return min(
            [
                ((_descending(m["sent_at"]),), self.contacts[m["sender_id"]])
                for m in sorted(self._messages_by_thread.get(thread["id"], {}).values(), key=_age)
                if m["sender_id"] is not None
            ],
            key=lambda pair: pair[0],
            default=(None, None),
        )[1]

    def _inside(self, o: Folder, f: Folder) -> bool:
        return f is o or o in _above(self.folders, f, "within_id")

    def _fits(self, x: Filter, c: Contact, kb: int) -> bool:
        return (
            (x["sender_id"] is None or x["sender_id"] == c["id"])
            and (x["firm"] is None or x["firm"] == c["firm"])
            and (x["from_kb"] is None or kb >= x["from_kb"])
        )

    def _too_full(self, f: Folder, t: Thread) -> Folder | None:
        return next(
            (
                o
                for o in _those(
                    self.folders,
                    [f["id"], *[record["id"] for record in _above(self.folders, f, "within_id")]],
                )
                if not self._inside(o, self.folders[t["folder_id"]])
                and o["limit_kb"] is not None
                and self._folder_kb(o) + self._thread_kb(t) > o["limit_kb"]
            ),
            None,
        )

    def _tight(self, t: Thread | None, more: int) -> Folder | None:
        return next(
            (
                o
                for o in self.folders.values()
                if t is not None
                and self._inside(o, self.folders[t["folder_id"]])
                and o["limit_kb"] is not None
                and self._folder_kb(o) + more > o["limit_kb"]
            ),
            None,
        )

    def _mine_last(self, t: Thread) -> bool:
        return any(
            m["sender_id"] is None
            and m["sent_at"] == self._thread_last_at(t)
            for m in self._messages_by_thread.get(t["id"], {}).values()
        )

    def _in_inbox(self, t: Thread) -> bool:
        return self.folders[t["folder_id"]]["kind"] == "inbox"

    def _waits(self, t: Thread) -> bool:
        return (
            self._in_inbox(t)
            and (t["snoozed_until"] is None or t["snoozed_until"] <= self.now)
            and self._thread_unread(t) > 0
        )

    def _breaks_rule_1(self, f: Folder) -> bool:
        """Whether this is broken: folders lie at most three deep inside one another."""
        return len(_above(self.folders, f, "within_id")) > 3

    def _breaks_rule_2(self, f: Folder) -> bool:
        """Whether this is broken: a folder with everything inside it stays within its limit."""
        return f["limit_kb"] is not None and self._folder_kb(f) > f["limit_kb"]

    def _breaks_rule_3(self, t: Thread) -> bool:
        """Whether this is broken: only threads in the inbox are snoozed."""
        return t["snoozed_until"] is not None and self.folders[t["folder_id"]]["kind"] != "inbox"

    def _breaks_rule_4(self, t: Thread) -> bool:
        """Whether this is broken: threads in the trash carry no labels, and no thread carries a label twice."""
        return not (
            _different([l["id"] for l in [self.labels[key] for key in t["label_ids"]]])
            and (len(t["label_ids"]) == 0 or self.folders[t["folder_id"]]["kind"] != "trash")
        )

    def _breaks_rule_5(self, m: Message) -> bool:
        """Whether this is broken: what was sent from here counts as read."""
        return m["sender_id"] is None and not m["read"]

    def _breaks_rule_6(self, d: Draft) -> bool:
        """Whether this is broken: nothing is written to blocked contacts, and nobody is addressed twice."""
        return (
            d["status"] in ("open", "scheduled")
            and not (
                _different([c["id"] for c in [self.contacts[key] for key in d["to_ids"]]])
                and not any(c["blocked"] for c in [self.contacts[key] for key in d["to_ids"]])
            )
        )

    def _breaks_rule_7(self, d: Draft) -> bool:
        """Whether this is broken: a scheduled draft has a time and somebody to go to, and no other draft has a time.
        """
        return not (
            (d["status"] == "scheduled") == (d["send_at"] is not None)
            and (d["status"] != "scheduled" or len(d["to_ids"]) > 0)
        )

    def _breaks_rule_8(self, d: Draft) -> bool:
        """Whether this is broken: a thread has one answer in preparation at a time."""
        return (
            d["thread_id"] is not None
            and d["status"] in ("open", "scheduled")
            and any(
                other_d is not d
                for other_d in self._drafts_by_thread.get(d["thread_id"], {}).values()
                if other_d["thread_id"] is not None
                and other_d["status"] in ("open", "scheduled")
            )
        )

    def _breaks_rule_9_x(self, x: Filter) -> bool:
        """Whether this is broken: the filters are numbered from one without gaps."""
        return any(other_x is not x for other_x in self._filters_by_rank.get(x["rank"], {}).values())

    def _breaks_rule_9_x_again(self, x: Filter) -> bool:
        """Whether this is broken: the filters are numbered from one without gaps."""
        return sum(1 for y in self.filters.values() if y["rank"] < x["rank"]) != x["rank"] - 1

    def _breaks_rule_10(self, x: Filter) -> bool:
        """Whether this is broken: a filter looks at something and does something, and never moves mail to the inbox,
        the trash or what was sent.
        """
        return not (
            (x["sender_id"] is not None or x["firm"] is not None or x["from_kb"] is not None)
            and (x["move_to_id"] is not None or x["label_id"] is not None or x["as_read"])
            and (x["move_to_id"] is None or self.folders[x["move_to_id"]]["kind"] in ("own", "archive"))
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
                self._folders_by_name.setdefault(record["name"], {})[record["id"]] = record
                self._folders_by_within.setdefault(record["within_id"], {})[record["id"]] = record
            case "threads":
                self._threads_by_folder.setdefault(record["folder_id"], {})[record["id"]] = record
                self._threads_by_subject.setdefault(record["subject"], {})[record["id"]] = record
            case "messages":
                self._messages_by_thread.setdefault(record["thread_id"], {})[record["id"]] = record
            case "drafts":
                self._drafts_by_subject.setdefault(record["subject"], {})[record["id"]] = record
                self._drafts_by_thread.setdefault(record["thread_id"], {})[record["id"]] = record
            case "filters":
                self._filters_by_rank.setdefault(record["rank"], {})[record["id"]] = record

    def _unlink(self, container: str, record: Any) -> None:
        """Take a record out again, before it changes or goes."""
        match container:
            case "folders":
                del self._folders_by_name[record["name"]][record["id"]]
                del self._folders_by_within[record["within_id"]][record["id"]]
            case "threads":
                del self._threads_by_folder[record["folder_id"]][record["id"]]
                del self._threads_by_subject[record["subject"]][record["id"]]
            case "messages":
                del self._messages_by_thread[record["thread_id"]][record["id"]]
            case "drafts":
                del self._drafts_by_subject[record["subject"]][record["id"]]
                del self._drafts_by_thread[record["thread_id"]][record["id"]]
            case "filters":
                del self._filters_by_rank[record["rank"]][record["id"]]
