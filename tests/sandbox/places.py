"""Environments that somebody wrote, for the tests of worlds in workers."""

SHOP = '''
from __future__ import annotations

import random
import uuid
from datetime import datetime, timedelta
from typing import Dict, List, Optional, TypedDict


class OrderInfo(TypedDict):
    order_id: str
    type: str
    status: str
    lines: List[str]


class Shop:
    """Orders of a small shop."""

    def __init__(self, init_config: dict):
        self.orders: Dict[str, OrderInfo] = {}
        self.opened: Optional[str] = None
        self._drawn = 0

    def _count(self) -> int:
        self._drawn += 1
        return self._drawn

    def place_order(self, what: str, type: str = "post") -> dict:
        """
        Place an order.

        Args:
            what (str): What is ordered.
            type (str): How it is sent.
        """
        if not what.strip():
            return {"success": False, "error": "Say what to order."}
        order_id = f"{uuid.uuid4().hex[:8]}-{self._count():03d}"
        due = datetime.now() + timedelta(days=random.randint(1, 9))
        self.orders[order_id] = {
            "order_id": order_id,
            "type": type,
            "status": "open",
            "lines": [part.strip() for part in what.split(",")],
            "due": due.isoformat(),
        }
        return {"success": True, "message": "Placed {} (€ {:.2f})".format(order_id, 3)}

    def list_orders(self) -> dict:
        """List every order."""
        return {"success": True, "data": sorted(self.orders.values(), key=lambda order: order["order_id"])}

    def drop_order(self, order_id: str) -> dict:
        """Drop an order."""
        if order_id not in self.orders:
            return {"success": False, "error": f"There is no order {order_id}."}
        del self.orders[order_id]
        return {"success": True, "message": "Dropped"}

    def break_down(self, order_id: str) -> dict:
        """Change something and then fail."""
        self.orders.clear()
        return {"success": True, "data": self.orders[order_id]}

    def hang(self) -> dict:
        """Never answer."""
        while True:
            pass
'''

LIAR = '''
class Yes(str):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return 0


class Desk:
    def __init__(self, init_config: dict):
        self.orders = {"O-1": {"status": Yes("pending")}}

    def look(self) -> dict:
        """Look at nothing."""
        return {"success": True, "data": None}
'''

SHARED = '''
class Board:
    orders = {}

    def __init__(self, init_config: dict):
        self.kept = 0

    def add(self, name: str) -> dict:
        """Add an order where every board of one process would see it."""
        self.orders[name] = "x"
        self.kept = len(self.orders)
        return {"success": True, "data": sorted(self.orders)}

    def read(self) -> dict:
        """Read all orders."""
        return {"success": True, "data": sorted(self.orders)}
'''
