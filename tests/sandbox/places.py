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

LIBRARIES = '''
import base64, bisect, calendar, copy, hashlib, heapq, itertools, json, math, operator, random, re, secrets
import statistics, string, textwrap, time, uuid
from collections import Counter, deque
from datetime import datetime, timezone
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache, partial


class Shelf:
    def __init__(self, init_config: dict):
        self.used = {}

    def use_them(self) -> dict:
        """Use what ordinary code uses."""
        with localcontext() as context:
            context.prec = 5
            third = str(Decimal(1) / 3)
        found = [
            re.sub("a+", "b", "caat"),
            datetime.strptime("2026-03-02", "%Y-%m-%d").strftime("%A %d %B"),
            datetime.now(timezone.utc).isoformat(),
            time.strftime("%Y", time.gmtime()),
            third,
            str(Fraction(3, 6)),
            statistics.median([1, 2, 4]),
            statistics.quantiles([1, 2, 3, 4]),
            base64.b64encode("€".encode("utf-16")).decode("ascii"),
            hashlib.sha256("ü".encode("latin-1")).hexdigest(),
            textwrap.fill("a b c", 3),
            calendar.monthrange(2026, 2),
            heapq.nsmallest(2, [3, 1, 2]),
            bisect.bisect([1, 2], 1),
            json.loads(json.dumps(copy.deepcopy({"a": [1, {"b": None}]}))),
            len(str(uuid.uuid5(uuid.NAMESPACE_DNS, "x"))) + len(uuid.uuid1().hex) + len(secrets.token_hex(4)),
            random.sample(range(100), 3),
            random.gauss(0, 1) < 100,
            Counter("abca").most_common(1),
            list(itertools.accumulate(deque([1, 2]), operator.add)),
            partial(math.comb, 5)(2),
            string.capwords("a b") + "\\N{BULLET}" + "straße".casefold() + "ﬁ".upper(),
            "1e400" > str(float("1e300")),
            int("9" * 400) % 7,
        ]
        self.used["all"] = len(found)
        return {"success": True, "data": found}
'''
