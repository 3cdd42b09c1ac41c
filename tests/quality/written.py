"""Two environments as a model would write them, in the published shape; tests break them in one place each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from envscaler_mcp.artifacts import State
from envscaler_mcp.quality import Evaluation, Judged, evaluate
from envscaler_mcp.quality.probe_worlds import Opener
from envscaler_mcp.serving import open_unread_world
from tests.homes import written

LIBRARY = '''
from typing import Any, Dict, List, Optional

ASKED: List[str] = []


class TownLibrary:
    def __init__(self, init_config: dict):
        self.books: Dict[str, Dict[str, Any]] = {}
        self.members: Dict[str, Dict[str, Any]] = {}
        self.loans: Dict[str, Dict[str, Any]] = {}
        self.lent_in_all: int = 0
        self.last_asked: str = ""

    def get_book(self, book_id: str) -> dict:
        """Look a book up."""
        if book_id not in self.books:
            return {"success": False, "error": f"Book {book_id} does not exist"}
        return {"success": True, "data": self.books[book_id]}

    def list_books(self, genre: Optional[str] = None) -> dict:
        """List books, of one genre if it is given."""
        found = [book for book in self.books.values() if genre is None or book["genre"] == genre]
        return {"success": True, "data": found}

    def lend_book(self, book_id: str, member_id: str) -> dict:
        """Lend a book that is in to a member."""
        if book_id not in self.books:
            return {"success": False, "error": f"Book {book_id} does not exist"}
        if member_id not in self.members:
            return {"success": False, "error": f"Member {member_id} does not exist"}
        if self.books[book_id]["lent"]:
            return {"success": False, "error": f"The book {self.books[book_id]['title']} is lent already"}
        self.lent_in_all += 1
        loan_id = f"L{self.lent_in_all}"
        self.loans[loan_id] = {"loan_id": loan_id, "book_id": book_id, "member_id": member_id}
        self.books[book_id]["lent"] = True
        return {"success": True, "message": f"Lent as {loan_id}"}

    def return_book(self, loan_id: str) -> dict:
        """Take a lent book back."""
        if loan_id not in self.loans:
            return {"success": False, "error": f"Loan {loan_id} does not exist"}
        loan = self.loans.pop(loan_id)
        self.books[loan["book_id"]]["lent"] = False
        return {"success": True, "message": "Returned"}

    def remove_book(self, book_id: str) -> dict:
        """Take a book that is in out of the library."""
        if book_id not in self.books:
            return {"success": False, "error": f"Book {book_id} does not exist"}
        if self.books[book_id]["lent"]:
            return {"success": False, "error": f"The book {self.books[book_id]['title']} is lent"}
        del self.books[book_id]
        return {"success": True, "message": "Removed"}
'''


def library_state() -> dict[str, Any]:
    titles = {"B1": "Middlemarch", "B2": "Emma", "B3": "Dracula", "B4": "Walden"}
    return {
        "books": {
            key: {
                "book_id": key,
                "title": title,
                "genre": "novel" if key != "B4" else "essay",
                "lent": key in ("B1", "B2"),
            }
            for key, title in titles.items()
        },
        "members": {key: {"member_id": key, "name": name} for key, name in (("M1", "Ada Cole"), ("M2", "Bo Lind"))},
        "loans": {
            "L1": {"loan_id": "L1", "book_id": "B1", "member_id": "M1"},
            "L2": {"loan_id": "L2", "book_id": "B2", "member_id": "M2"},
        },
        "lent_in_all": 2,
        "last_asked": "",
    }


WORKSHOP = '''
import uuid
from datetime import datetime
from typing import Dict, List, Optional, TypedDict


class RepairInfo(TypedDict):
    repair_id: str
    bicycle: str
    mechanic_id: Optional[str]
    price: float
    status: str
    log: List[str]


class BicycleWorkshop:
    """Repairs of a bicycle workshop."""

    def __init__(self, init_config: dict):
        self.repairs: Dict[str, RepairInfo] = {}
        self.mechanics: Dict[str, dict] = {}
        self.init_config = init_config

    def get_repairs_of(self, mechanic_id: str) -> dict:
        """
        List the repairs of a mechanic.

        Args:
            mechanic_id (str): The mechanic.
        """
        if mechanic_id not in self.mechanics:
            return {"success": False, "error": "Mechanic not found in this workshop"}
        return {"success": True, "data": [r for r in self.repairs.values() if r["mechanic_id"] == mechanic_id]}

    def accept_repair(self, bicycle: str, price: float) -> dict:
        """
        Accept a bicycle.

        Args:
            bicycle (str): What is brought.
            price (float): What it will cost.
        """
        if not bicycle.strip():
            return {"success": False, "error": "The bicycle must be described"}
        if price <= 0:
            return {"success": False, "error": "The price must be greater than zero"}
        repair_id = "R-" + uuid.uuid4().hex[:8]
        self.repairs[repair_id] = {
            "repair_id": repair_id,
            "bicycle": bicycle,
            "mechanic_id": None,
            "price": price,
            "status": "waiting",
            "log": [f"accepted {datetime.now().isoformat()}"],
        }
        return {"success": True, "message": f"Accepted as {repair_id}"}

    def assign_repair(self, repair_id: str, mechanic_id: str) -> dict:
        """Give a waiting repair to a mechanic."""
        repair = self.repairs.get(repair_id)
        if repair is None:
            return {"success": False, "error": f"There is no repair {repair_id}"}
        if mechanic_id not in self.mechanics:
            return {"success": False, "error": f"There is no mechanic {mechanic_id}"}
        if repair["status"] != "waiting":
            return {"success": False, "error": f"The repair is {repair['status']}"}
        repair["mechanic_id"] = mechanic_id
        repair["status"] = "assigned"
        repair["log"].append("assigned")
        return {"success": True, "message": "Assigned"}
'''


def workshop_state() -> dict[str, Any]:
    return {
        "repairs": {
            f"R-{n}": {
                "repair_id": f"R-{n}",
                "bicycle": f"Red bicycle {n}",
                "mechanic_id": "MECH-2" if n == 3 else None,
                "price": 20.5 * n,
                "status": "assigned" if n == 3 else "waiting",
                "log": [],
            }
            for n in (1, 2, 3)
        },
        "mechanics": {"MECH-1": {"name": "Sana Okafor"}, "MECH-2": {"name": "Timo Berg"}},
    }


def evaluated(
    source: str, class_name: str, content: Mapping[str, Any], opener: Opener = open_unread_world
) -> Evaluation:
    state = State(environment="written", name="start", seed=3, content=dict(content))
    return evaluate(written(source), [state], opener)


def library(old: str = "", new: str = "") -> Evaluation:
    """The town library with one piece of its source replaced."""
    assert old in LIBRARY
    return evaluated(LIBRARY.replace(old, new) if old else LIBRARY, "TownLibrary", library_state())


def fails(evaluation: Evaluation, tool: str) -> list[str]:
    return [one.reason for one in failing(evaluation) if one.probe.tool == tool]


def failing(evaluation: Evaluation) -> list[Judged]:
    return [one for one in evaluation.judged if one.judgement == "fail"]
