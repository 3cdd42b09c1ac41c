"""Environments as somebody would write them, in the published shape, and their start states."""

from __future__ import annotations

from typing import Any

from envscaler_mcp.artifacts import State

LENDING = '''
import uuid
from datetime import datetime
from typing import Dict, List, Optional, TypedDict


class BookInfo(TypedDict):
    book_id: str
    title: str
    shelf: str
    status: str  # in, lent, reserved


class ReaderInfo(TypedDict):
    reader_id: str
    name: str
    email: str
    loans: List[str]


class LoanInfo(TypedDict):
    loan_id: str
    book_id: str
    reader_id: str
    due_date: str
    extended: bool
    created_at: str


class LendingDesk:
    def __init__(self, init_config: dict):
        """The lending desk of a small library."""
        self.books: Dict[str, BookInfo] = {}
        self.readers: Dict[str, ReaderInfo] = {}
        self.loans: Dict[str, LoanInfo] = {}
        self.lent_in_all: int = 0
        self.init_config = init_config

    def list_books(self, status: Optional[str] = None) -> dict:
        """
        List books, of one status if it is given.

        Args:
            status (str, optional): One of in, lent, reserved.
        """
        found = [b for b in self.books.values() if status is None or b["status"] == status]
        return {"success": True, "data": found}

    def get_book(self, book_id: str) -> dict:
        """
        Retrieve a book.

        Args:
            book_id (str): The id of the book.
        """
        if book_id not in self.books:
            return {"success": False, "error": "Book not found"}
        return {"success": True, "data": self.books[book_id]}

    def find_reader(self, name: str) -> dict:
        """
        Find readers by their name.

        Args:
            name (str): The whole name.
        """
        return {"success": True, "data": [r for r in self.readers.values() if r["name"].lower() == name.lower()]}

    def get_reader(self, reader_id: str) -> dict:
        """Retrieve a reader."""
        if reader_id not in self.readers:
            return {"success": False, "error": "Reader not found"}
        return {"success": True, "data": self.readers[reader_id]}

    def list_loans_of_reader(self, reader_id: str) -> dict:
        """
        List the loans of a reader.

        Args:
            reader_id (str): The id of the reader.
        """
        if reader_id not in self.readers:
            return {"success": False, "error": "Reader not found"}
        return {"success": True, "data": [x for x in self.loans.values() if x["reader_id"] == reader_id]}

    def lend_book(self, book_id: str, reader_id: str, due_date: str) -> dict:
        """
        Lend a book that is in to a reader.

        Args:
            book_id (str): The id of the book.
            reader_id (str): The id of the reader.
            due_date (str): YYYY-MM-DD.

        Returns:
            dict: {"success": True, "message": str} or {"success": False, "error": str}
        """
        if book_id not in self.books or reader_id not in self.readers:
            return {"success": False, "error": "Book or reader not found"}
        if self.books[book_id]["status"] != "in":
            return {"success": False, "error": "The book is not in"}
        if len(self.readers[reader_id]["loans"]) >= 3:
            return {"success": False, "error": "The reader has three books already"}
        loan_id = "LN-" + uuid.uuid4().hex[:8]
        self.loans[loan_id] = {
            "loan_id": loan_id,
            "book_id": book_id,
            "reader_id": reader_id,
            "due_date": due_date,
            "extended": False,
            "created_at": datetime.now().isoformat(),
        }
        self.books[book_id]["status"] = "lent"
        self.readers[reader_id]["loans"].append(loan_id)
        self.lent_in_all += 1
        return {"success": True, "message": "The book is lent."}

    def extend_loan(self, loan_id: str, new_due_date: str) -> dict:
        """
        Extend a loan once.

        Args:
            loan_id (str): The id of the loan.
            new_due_date (str): YYYY-MM-DD.
        """
        if loan_id not in self.loans:
            return {"success": False, "error": "Loan not found"}
        loan = self.loans[loan_id]
        if loan["extended"] or new_due_date <= loan["due_date"]:
            return {"success": False, "error": "The loan cannot be extended to that day"}
        loan["extended"] = True
        loan["due_date"] = new_due_date
        return {"success": True, "message": "Extended."}

    def take_back(self, loan_id: str) -> dict:
        """Take back the book of a loan."""
        if loan_id not in self.loans:
            return {"success": False, "error": "Loan not found"}
        loan = self.loans.pop(loan_id)
        self.books[loan["book_id"]]["status"] = "in"
        self.readers[loan["reader_id"]]["loans"].remove(loan_id)
        return {"success": True, "message": "Taken back."}

    def move_book(self, book_id: str, new_shelf: str) -> dict:
        """
        Move a book to another shelf.

        Args:
            book_id (str): The id of the book.
            new_shelf (str): The shelf.
        """
        if book_id not in self.books:
            return {"success": False, "error": "Book not found"}
        self.books[book_id]["shelf"] = new_shelf
        return {"success": True, "message": "Moved."}

    def update_email(self, reader_id: str, email: str) -> dict:
        """Change the e-mail address of a reader."""
        if reader_id not in self.readers:
            return {"success": False, "error": "Reader not found"}
        self.readers[reader_id]["email"] = email
        return {"success": True, "message": "Changed."}
'''


def lending_state() -> dict[str, Any]:
    titles = (
        "Middlemarch",
        "Emma",
        "Dracula",
        "Walden",
        "Persuasion",
        "Ulysses",
        "Kim",
        "Nostromo",
        "Villette",
        "Cranford",
    )
    names = ("Ada Cole", "Bo Lind", "Cora Reyes", "Dan Osei", "Eva Holm", "Femi Obi")
    lent = {"LN-0001": ("BK-01", "RD-1"), "LN-0002": ("BK-02", "RD-2"), "LN-0003": ("BK-03", "RD-3")}
    return {
        "books": {
            f"BK-{n:02d}": {
                "book_id": f"BK-{n:02d}",
                "title": title,
                "shelf": "ABC"[n % 3],
                "status": "lent" if n <= len(lent) else "in",
            }
            for n, title in enumerate(titles, start=1)
        },
        "readers": {
            f"RD-{n}": {
                "reader_id": f"RD-{n}",
                "name": name,
                "email": f"{name.split()[0].lower()}@example.com",
                "loans": [key for key, (_, reader) in lent.items() if reader == f"RD-{n}"],
            }
            for n, name in enumerate(names, start=1)
        },
        "loans": {
            key: {
                "loan_id": key,
                "book_id": book,
                "reader_id": reader,
                "due_date": f"2026-03-{n + 9:02d}",
                "extended": False,
                "created_at": f"2026-02-{n + 9:02d}T10:00:00",
            }
            for n, (key, (book, reader)) in enumerate(lent.items())
        },
        "lent_in_all": 3,
    }


DEVICES = '''
from typing import Dict, List, Literal, Optional, TypedDict


class DeviceInfo(TypedDict):
    device_id: str
    model: str
    status: str
    room_id: Optional[str]
    watts: float


class RoomInfo(TypedDict):
    name: str
    floor: int
    capacity: int


class DeviceRegistry:
    """Devices of a workshop and the rooms they stand in."""

    def __init__(self, init_config: dict):
        self.devices: Dict[str, DeviceInfo] = {}
        self.rooms: Dict[str, RoomInfo] = {}
        self.seals: Dict[str, dict] = {}
        self.tickets: Dict[str, dict] = {}
        self.by_status: Dict[str, List[str]] = {}
        self.on_duty: str = ""

    def _standing_in(self, room_id: str) -> int:
        return sum(1 for d in self.devices.values() if d["room_id"] == room_id)

    def list_rooms(self) -> dict:
        """List every room by its id."""
        return {"success": True, "data": self.rooms}

    def list_devices_by_status(self, status: Literal["active", "faulty", "stored"]) -> dict:
        """List the ids of devices that have a status."""
        return {"success": True, "data": [d["device_id"] for d in self.devices.values() if d["status"] == status]}

    def get_device(self, device_id: str) -> dict:
        """Retrieve a device."""
        if device_id not in self.devices:
            return {"success": False, "error": "Device not found"}
        return {"success": True, "data": self.devices[device_id]}

    def list_tickets(self) -> dict:
        """List all tickets."""
        return {"success": True, "data": list(self.tickets.values())}

    def who_is_on_duty(self) -> dict:
        """Tell who is on duty."""
        return {"success": True, "data": self.on_duty}

    def register_device(self, device_id: str, model: str, watts: float) -> dict:
        """
        Register a device.

        Args:
            device_id (str): A new id.
            model (str): The model.
            watts (float): What it draws.
        """
        if device_id in self.devices:
            return {"success": False, "error": "There is such a device already"}
        self.devices[device_id] = {
            "device_id": device_id, "model": model, "status": "stored", "room_id": None, "watts": watts
        }
        self.by_status.setdefault("stored", []).append(device_id)
        return {"success": True, "message": f"Registered {device_id}."}

    def place_device(self, device_id: str, room_id: str) -> dict:
        """Place a device in a room that has space."""
        if device_id not in self.devices or room_id not in self.rooms:
            return {"success": False, "error": "Device or room not found"}
        if self._standing_in(room_id) >= self.rooms[room_id]["capacity"]:
            return {"success": False, "error": "The room is full"}
        device = self.devices[device_id]
        if device["room_id"] == room_id:
            return {"success": False, "error": "It stands there already"}
        device["room_id"] = room_id
        return {"success": True, "message": "Placed."}

    def set_device_status(self, device_id: str, new_status: Literal["active", "faulty", "stored"]) -> dict:
        """Set the status of a device."""
        if device_id not in self.devices:
            return {"success": False, "error": "Device not found"}
        device = self.devices[device_id]
        if device["status"] == new_status:
            return {"success": False, "error": "It has that status already"}
        self.by_status[device["status"]].remove(device_id)
        self.by_status.setdefault(new_status, []).append(device_id)
        device["status"] = new_status
        return {"success": True, "message": "Set."}

    def open_ticket(self, device_id: str, reason: str) -> dict:
        """
        Open a ticket for a faulty device.

        Args:
            device_id (str): The device.
            reason (str): What is wrong.
        """
        if device_id not in self.devices:
            return {"success": False, "error": "Device not found"}
        if self.devices[device_id]["status"] != "faulty":
            return {"success": False, "error": "The device is not faulty"}
        ticket_id = f"T{len(self.tickets) + 1}"
        self.tickets[ticket_id] = {
            "ticket_id": ticket_id, "device_id": device_id, "reason": reason, "state": "open", "log": [f"{ticket_id} opened"]
        }
        return {"success": True, "data": {"ticket_id": ticket_id}}

    def close_ticket(self, ticket_id: str, resolution: str) -> dict:
        """Close an open ticket."""
        if ticket_id not in self.tickets or self.tickets[ticket_id]["state"] != "open":
            return {"success": False, "error": "There is no such open ticket"}
        self.tickets[ticket_id]["state"] = "closed"
        self.tickets[ticket_id]["log"].append(resolution)
        return {"success": True, "message": "Closed."}

    def break_seal(self, seal_id: str) -> dict:
        """Break a seal."""
        if seal_id not in self.seals or self.seals[seal_id]["broken"]:
            return {"success": False, "error": "There is no such whole seal"}
        self.seals[seal_id]["broken"] = True
        return {"success": True, "message": "Broken."}

    def take_over_duty(self, on_duty: str) -> dict:
        """Let somebody else be on duty."""
        if on_duty == self.on_duty:
            return {"success": False, "error": "They are already"}
        self.on_duty = on_duty
        return {"success": True, "message": "Taken over."}
'''


def devices_state() -> dict[str, Any]:
    status = ("active", "faulty", "stored", "active", "faulty", "active", "stored", "active")
    models = ("Lathe L1", "Lathe L1", "Saw S4", "Drill D2", "Press P9", "Drill D3", "Saw S5", "Oven O1")
    devices = {
        f"DEV-{n}": {
            "device_id": f"DEV-{n}",
            "model": model,
            "status": status[n - 1],
            "room_id": f"R{n % 3 + 1}",
            "watts": 250.0 * n,
        }
        for n, model in enumerate(models, start=1)
    }
    return {
        "devices": devices,
        "rooms": {
            f"R{n}": {"name": name, "floor": n % 2, "capacity": 6}
            for n, name in enumerate(("Hall", "Annex", "Cellar", "Loft"), start=1)
        },
        "seals": {f"SEAL-{n}": {"seal_id": f"SEAL-{n}", "broken": False} for n in (1, 2, 3)},
        "tickets": {
            "T1": {"ticket_id": "T1", "device_id": "DEV-2", "reason": "it hums", "state": "open", "log": ["T1 opened"]}
        },
        "by_status": {
            one: [key for key, device in devices.items() if device["status"] == one]
            for one in ("active", "faulty", "stored")
        },
        "on_duty": "Sana Okafor",
    }


FROZEN = '''
class Museum:
    def __init__(self, init_config: dict):
        self.exhibits: dict = {}

    def list_exhibits(self) -> dict:
        """List what is shown."""
        return {"success": True, "data": self.exhibits}

    def move_exhibit(self, exhibit_id: str, place: str) -> dict:
        """Move an exhibit."""
        if exhibit_id in self.exhibits and place == "never":
            self.exhibits[exhibit_id]["place"] = place
        return {"success": False, "error": f"Exhibit {exhibit_id} stays where it is"}
'''


def start_state(content: dict[str, Any], env_id: str = "written") -> State:
    return State(environment=env_id, name="start", seed=3, content=content)
