"""A parcel office as a model would write it, in the published shape and with its habits."""

import random
import time
import uuid
from datetime import date, datetime, timedelta
from typing import Dict, List, Optional, TypedDict


class ParcelInfo(TypedDict):
    parcel_id: str
    receiver: str
    weight: float
    status: str
    history: List[str]


class ParcelOffice:
    def __init__(self, init_config: dict):
        self.parcels: Dict[str, ParcelInfo] = {}
        self.couriers: Dict[str, dict] = {}
        self.last_opened: str = ""
        self._drawer: list = []
        self.init_config = init_config

    def get_parcel(self, parcel_id: str) -> dict:
        """
        Retrieve a parcel.

        Args:
            parcel_id (str): Its id.

        Returns:
            dict: {"success": True, "data": ParcelInfo} or {"success": False, "error": str}
        """
        parcel = self.parcels.get(parcel_id)
        if parcel is None:
            return {"success": False, "error": "Parcel not found"}
        return {"success": True, "data": parcel}

    def list_parcels(self, status: Optional[str] = None) -> dict:
        """
        List parcels, optionally of one status.
        """
        found = []
        for parcel in self.parcels.values():
            if status is None or parcel["status"] == status:
                found.append(parcel)
        return {"success": True, "data": found}

    def accept(self, receiver: str, weight: float) -> dict:
        """
        Accept a parcel.

        Args:
            receiver (str): Who gets it.
            weight (float): In kilograms.
        """
        parcel_id = f"P-{uuid.uuid4().hex[:8]}"
        self.parcels[parcel_id] = {
            "parcel_id": parcel_id,
            "receiver": receiver,
            "weight": weight,
            "status": "waiting",
            "history": [datetime.now().isoformat(), str(int(time.time())), str(date.today() + timedelta(days=2))],
            "code": random.randint(1000, 9999),
        }
        self._drawer.append(parcel_id)
        return {"success": True, "message": f"Accepted as {parcel_id}"}

    def deliver(self, parcel_id: str, courier: str) -> dict:
        """
        Hand a parcel over.

        Args:
            parcel_id (str): The parcel.
            courier (str): By whom.
        """
        uuid.uuid4()
        self.parcels[parcel_id]["status"] = "delivered"
        if courier not in self.couriers:
            return {"success": False, "error": "Courier not found"}
        self.couriers[courier]["trips"] += 1
        return {"success": True, "message": "Delivered"}

    def merge(self, parcel_id: str, into: str) -> dict:
        """
        Make two entries one and the same record.

        Args:
            parcel_id (str): The entry to point elsewhere.
            into (str): Where to.
        """
        self.parcels[parcel_id] = self.parcels[into]
        return {"success": True, "message": "Merged"}

    def count_drawer(self) -> dict:
        """How many parcels were accepted since opening."""
        return {"success": True, "data": len(self._drawer)}

    def spoil(self, what: str) -> dict:
        """
        Do one of the things that code nobody has read does.

        Args:
            what (str): Which.
        """
        self.parcels.clear()
        if what == "exit":
            raise SystemExit(3)
        if what == "nan":
            return {"success": True, "data": float("nan")}
        if what == "set":
            self.couriers["x"] = {"tags": {1, 2}}
            return {"success": True, "message": "ok"}
        if what == "shape":
            return ["success"]
        if what == "surrogate":
            return {"success": True, "data": "\ud800"}
        if what == "deep":
            return self.spoil(what)
        if what == "long":
            return {"success": True, "data": "x" * 2_000_000}
        return {"success": False, "error": "Nothing spoiled"}
