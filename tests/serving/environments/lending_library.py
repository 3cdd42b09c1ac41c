"""A lending library, written by hand in exactly the shape that the compiler emits."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypedDict

CHANGES = ("join", "lend_book", "lend_books", "return_book", "remove_member", "note", "stumble")

Date = Annotated[str, {"format": "date"}]
Minute = Annotated[str, {"format": "date-time"}]


class Line(TypedDict):
    book_id: str
    days: Annotated[int, {"minimum": 1, "maximum": 60}]


class LendingLibrary:
    """Members borrow books."""

    def __init__(self, init_config: dict[str, Any] | None) -> None:
        config = init_config or {}
        self.books: dict[str, dict[str, Any]] = config.get("books", {})
        self.members: dict[str, dict[str, Any]] = config.get("members", {})
        self.loans: dict[str, dict[str, Any]] = config.get("loans", {})
        self.now: str = config.get("now", "2026-03-02T09:00")
        self.counters: dict[str, int] = config.get("counters", {})
        self._journal: list[tuple[Any, ...]] = []
        self._lent: dict[str, str] = {loan["book"]: id for id, loan in self.loans.items() if loan["status"] == "open"}

    def get_book(self, book_id: str) -> dict[str, Any]:
        """Look a book up.

        Args:
            book_id (str): The book's id.
        """
        book = self.books.get(book_id)
        if book is None:
            return {"success": False, "error": f"There is no book {book_id}."}
        return {"success": True, "data": {"id": book_id, **book, "lent": book_id in self._lent}}

    def list_books(
        self,
        shelf: Literal["fiction", "science"] | None = None,
        title: Annotated[str, {"maxLength": 80}] | None = None,
        page: Annotated[int, {"minimum": 1, "maximum": 1000}] = 1,
    ) -> dict[str, Any]:
        """List books, ten to a page.

        Args:
            shelf (str | None): Only books of this shelf.
            title (str | None): Only books whose title contains this.
            page (int): Which page.
        """
        found = [
            {"id": id, **book}
            for id, book in self.books.items()
            if (shelf is None or book["shelf"] == shelf) and (title is None or title.lower() in book["title"].lower())
        ]
        return {"success": True, "data": {"total": len(found), "items": found[(page - 1) * 10 : page * 10]}}

    def join(
        self, name: Annotated[str, {"minLength": 1, "maxLength": 60}], email: Annotated[str, {"format": "email"}]
    ) -> dict[str, Any]:
        """Make somebody a member.

        Args:
            name (str): The full name.
            email (str): Where reminders go.
        """
        id = self._next("MEMB")
        if any(member["email"] == email for member in self.members.values()):
            return self._refuse(f"Somebody with the address {email} is a member already.")
        self.members[id] = {"name": name, "email": email, "notes": []}
        self._journal.append(("new", "members", id))
        return {"success": True, "message": f"Done: {name} joined as {id}."}

    def lend_book(self, book_id: str, member_id: str, until: Date) -> dict[str, Any]:
        """Lend a book to a member.

        Args:
            book_id (str): The book.
            member_id (str): Who takes it.
            until (str): The day it is due.
        """
        if book_id not in self.books:
            return {"success": False, "error": f"There is no book {book_id}."}
        if member_id not in self.members:
            return {"success": False, "error": f"There is no member {member_id}."}
        if book_id in self._lent:
            return {"success": False, "error": f"{book_id} is lent already."}
        id = self._lend(book_id, member_id, until)
        return {"success": True, "message": f"Done: lend {book_id} to {member_id} until {until} ({id})."}

    def lend_books(self, member_id: str, lines: Annotated[list[Line], {"minItems": 1}]) -> dict[str, Any]:
        """Lend several books at once, all or none.

        Args:
            member_id (str): Who takes them.
            lines (list[Line]): Which, and for how many days.
        """
        if member_id not in self.members:
            return {"success": False, "error": f"There is no member {member_id}."}
        for line in lines:
            if line["book_id"] not in self.books or line["book_id"] in self._lent:
                return self._refuse(f"{line['book_id']} cannot be lent.")
            self._lend(line["book_id"], member_id, f"day {line['days']}")
        member = self.members[member_id]
        self._put("members", member_id, "last", lines)
        return {"success": True, "message": f"Done: lend {len(lines)} books to {member['name']}."}

    def return_book(self, book_id: str) -> dict[str, Any]:
        """Take a book back.

        Args:
            book_id (str): The book.
        """
        if book_id not in self._lent:
            return {"success": False, "error": f"{book_id} is not lent."}
        id = self._lent.pop(book_id)
        self._put("loans", id, "status", "closed")
        return {"success": True, "message": f"Done: return {book_id}."}

    def remove_member(self, member_id: str) -> dict[str, Any]:
        """Remove a member and the closed loans.

        Args:
            member_id (str): Who leaves.
        """
        if member_id not in self.members:
            return {"success": False, "error": f"There is no member {member_id}."}
        for id in [id for id, loan in self.loans.items() if loan["member"] == member_id]:
            if self.loans[id]["status"] == "open":
                return self._refuse(f"{member_id} still has {self.loans[id]['book']}.")
            self._journal.append(("delete", "loans", id, self.loans.pop(id)))
        self._journal.append(("delete", "members", member_id, self.members.pop(member_id)))
        return {"success": True, "message": f"Done: remove {member_id}."}

    def note(self, member_id: str, text: str) -> dict[str, Any]:
        """Write a note about a member.

        Args:
            member_id (str): About whom.
            text (str): What.
        """
        if member_id not in self.members:
            return {"success": False, "error": f"There is no member {member_id}."}
        self._put("members", member_id, "notes", [*self.members[member_id]["notes"], f"{self.now} {text}"])
        return {"success": True, "message": "Done: note."}

    def stumble(self, member_id: str) -> dict[str, Any]:
        """Fail half way, as a defect would."""
        self._put("members", member_id, "name", "Nobody")
        self._next("MEMB")
        print("stumbling, and talking about it")
        raise RuntimeError("a defect in /some/secret/path.py")

    def _lend(self, book_id: str, member_id: str, until: str) -> str:
        id = self._next("LOAN")
        self.loans[id] = {"book": book_id, "member": member_id, "until": until, "status": "open"}
        self._journal.append(("new", "loans", id))
        self._lent[book_id] = id
        return id

    def _next(self, prefix: str) -> str:
        before = self.counters.get(prefix)
        self._journal.append(("scalar", "counters", prefix, before))
        self.counters[prefix] = (before or 0) + 1
        return f"{prefix}-{self.counters[prefix]:05d}"

    def _put(self, container: str, id: str, field: str, value: Any) -> None:
        record = getattr(self, container)[id]
        self._journal.append(("put", container, id, field, record.get(field)))
        record[field] = value

    def _refuse(self, error: str) -> dict[str, Any]:
        self._undo(self._journal)
        self._journal = []
        return {"success": False, "error": error}

    def _undo(self, journal: list[tuple[Any, ...]]) -> None:
        for write in reversed(journal):
            if write[0] == "new":
                del getattr(self, write[1])[write[2]]
            elif write[0] == "put":
                getattr(self, write[1])[write[2]][write[3]] = write[4]
            elif write[0] == "delete":
                getattr(self, write[1])[write[2]] = write[3]
            elif write[2] is None:
                setattr(self, write[1], write[3])
            elif write[3] is None:
                del getattr(self, write[1])[write[2]]
            else:
                getattr(self, write[1])[write[2]] = write[3]
        self._lent = {loan["book"]: id for id, loan in self.loans.items() if loan["status"] == "open"}
