"""What a good model says when it writes a seed exchange as a class, and tasks before their plans; with mistakes that it mends."""

from __future__ import annotations

from typing import Any

DEFINITION = '''\
from datetime import date
from typing import Dict, List, Optional, TypedDict


class MemberInfo(TypedDict):
    member_id: str
    name: str
    town: str
    credits: int


class VarietyInfo(TypedDict):
    variety_id: str
    name: str
    crop: str
    rare: bool


class PacketInfo(TypedDict):
    packet_id: str
    variety_id: str
    owner_id: str
    seeds: int
    harvested: str
    status: str  # offered, promised, sent, withdrawn


class RequestInfo(TypedDict):
    request_id: str
    packet_id: str
    member_id: str
    seeds: int
    status: str  # open, granted, refused, sent
    note: str


class SeedExchange:
    """Members of a seed exchange, the packets they offer, and who asks for them."""

    def __init__(self, init_config: dict):
        self.members: Dict[str, MemberInfo] = {}
        self.varieties: Dict[str, VarietyInfo] = {}
        self.packets: Dict[str, PacketInfo] = {}
        self.requests: Dict[str, RequestInfo] = {}
'''

METHODS = {
    "find_member": '''\
def find_member(self, name: str) -> dict:
    """
    Find members by their name.

    Args:
        name (str): The whole name.

    Returns:
        dict: {"success": True, "data": List[MemberInfo]} or {"success": False, "error": str}
    """
    found = [one for one in self.members.values() if one["name"].lower() == name.lower()]
    if not found:
        return {"success": False, "error": "No member has that name"}
    return {"success": True, "data": found}
''',
    "list_varieties": '''\
def list_varieties(self, crop: Optional[str] = None) -> dict:
    """
    List varieties, of one crop if it is given.

    Args:
        crop (str, optional): The crop, such as bean.

    Returns:
        dict: {"success": True, "data": List[VarietyInfo]}
    """
    return {"success": True, "data": [one for one in self.varieties.values() if crop is None or one["crop"] == crop]}
''',
    "list_packets": '''\
def list_packets(self, variety_id: Optional[str] = None, owner_id: Optional[str] = None) -> dict:
    """
    List packets, of one variety or one owner if these are given.

    Args:
        variety_id (str, optional): The id of the variety.
        owner_id (str, optional): The id of the member who offers them.

    Returns:
        dict: {"success": True, "data": List[PacketInfo]}
    """
    found = [
        one
        for one in self.packets.values()
        if (variety_id is None or one["variety_id"] == variety_id) and (owner_id is None or one["owner_id"] == owner_id)
    ]
    return {"success": True, "data": found}
''',
    "list_requests": '''\
def list_requests(self, member_id: Optional[str] = None, packet_id: Optional[str] = None) -> dict:
    """
    List requests, by one member or for one packet if these are given.

    Args:
        member_id (str, optional): The id of the member who asks.
        packet_id (str, optional): The id of the packet.

    Returns:
        dict: {"success": True, "data": List[RequestInfo]}
    """
    found = [
        one
        for one in self.requests.values()
        if (member_id is None or one["member_id"] == member_id) and (packet_id is None or one["packet_id"] == packet_id)
    ]
    return {"success": True, "data": found}
''',
    "seeds_left": '''\
def seeds_left(self, packet_id: str) -> dict:
    """
    Tell how many seeds of a packet are not granted to anybody.

    Args:
        packet_id (str): The id of the packet.

    Returns:
        dict: {"success": True, "data": int} or {"success": False, "error": str}
    """
    if packet_id not in self.packets:
        return {"success": False, "error": "Packet not found"}
    granted = sum(one["seeds"] for one in self.requests.values() if one["packet_id"] == packet_id and one["status"] == "granted")
    return {"success": True, "data": self.packets[packet_id]["seeds"] - granted}
''',
    "offer_packet": '''\
def offer_packet(self, owner_id: str, variety_id: str, seeds: int, harvested: str) -> dict:
    """
    Offer a packet of seeds; whoever offers one earns a credit.

    Args:
        owner_id (str): The id of the member.
        variety_id (str): The id of the variety.
        seeds (int): How many seeds are in it, 10 at least.
        harvested (str): When they were harvested, YYYY-MM-DD.

    Returns:
        dict: {"success": True, "data": {"packet_id": str}} or {"success": False, "error": str}
    """
    if owner_id not in self.members or variety_id not in self.varieties:
        return {"success": False, "error": "Member or variety not found"}
    if seeds < 10:
        return {"success": False, "error": "A packet holds 10 seeds at least"}
    try:
        date.fromisoformat(harvested)
    except ValueError:
        return {"success": False, "error": "The day of harvest is no date"}
    packet_id = f"PK-{len(self.packets) + 1:03d}"
    self.packets[packet_id] = {
        "packet_id": packet_id,
        "variety_id": variety_id,
        "owner_id": owner_id,
        "seeds": seeds,
        "harvested": harvested,
        "status": "offered",
    }
    self.members[owner_id]["credits"] += 1
    return {"success": True, "data": {"packet_id": packet_id}}
''',
    "request_seeds": '''\
def request_seeds(self, packet_id: str, member_id: str, seeds: int, note: str = "") -> dict:
    """
    Ask for seeds of a packet that is offered.

    Args:
        packet_id (str): The id of the packet.
        member_id (str): The id of the member who asks.
        seeds (int): How many seeds.
        note (str): A word to the owner.

    Returns:
        dict: {"success": True, "data": {"request_id": str}} or {"success": False, "error": str}
    """
    if packet_id not in self.packets or member_id not in self.members:
        return {"success": False, "error": "Packet or member not found"}
    packet = self.packets[packet_id]
    if packet["status"] != "offered":
        return {"success": False, "error": "The packet is not offered any more"}
    if packet["owner_id"] == member_id:
        return {"success": False, "error": "Nobody asks for their own seeds"}
    if not 1 <= seeds <= packet["seeds"]:
        return {"success": False, "error": "The packet does not hold so many seeds"}
    if self.members[member_id]["credits"] < 1:
        return {"success": False, "error": "The member has no credit"}
    request_id = f"RQ-{len(self.requests) + 1:03d}"
    self.requests[request_id] = {
        "request_id": request_id,
        "packet_id": packet_id,
        "member_id": member_id,
        "seeds": seeds,
        "status": "open",
        "note": note,
    }
    return {"success": True, "data": {"request_id": request_id}}
''',
    "grant_request": '''\
def grant_request(self, request_id: str) -> dict:
    """
    Grant an open request; it costs whoever asked a credit.

    Args:
        request_id (str): The id of the request.

    Returns:
        dict: {"success": True, "message": str} or {"success": False, "error": str}
    """
    if request_id not in self.requests:
        return {"success": False, "error": "Request not found"}
    request = self.requests[request_id]
    if request["status"] != "open":
        return {"success": False, "error": "The request is not open"}
    if self.members[request["member_id"]]["credits"] < 1:
        return {"success": False, "error": "The member has no credit"}
    packet = self.packets[request["packet_id"]]
    granted = sum(
        one["seeds"]
        for one in self.requests.values()
        if one["packet_id"] == request["packet_id"] and one["status"] == "granted"
    )
    if granted + request["seeds"] > packet["seeds"]:
        return {"success": False, "error": "So many seeds are not left in the packet"}
    request["status"] = "granted"
    self.members[request["member_id"]]["credits"] -= 1
    if granted + request["seeds"] == packet["seeds"]:
        packet["status"] = "promised"
    return {"success": True, "message": "The request is granted."}
''',
    "refuse_request": '''\
def refuse_request(self, request_id: str, note: str) -> dict:
    """
    Refuse an open request with a word to whoever asked.

    Args:
        request_id (str): The id of the request.
        note (str): Why.

    Returns:
        dict: {"success": True, "message": str} or {"success": False, "error": str}
    """
    if request_id not in self.requests:
        return {"success": False, "error": "Request not found"}
    if self.requests[request_id]["status"] != "open":
        return {"success": False, "error": "The request is not open"}
    self.requests[request_id]["status"] = "refused"
    self.requests[request_id]["note"] = note
    return {"success": True, "message": "The request is refused."}
''',
    "send_seeds": '''\
def send_seeds(self, request_id: str) -> dict:
    """
    Record that the seeds of a granted request were sent; they leave the packet.

    Args:
        request_id (str): The id of the request.

    Returns:
        dict: {"success": True, "message": str} or {"success": False, "error": str}
    """
    if request_id not in self.requests:
        return {"success": False, "error": "Request not found"}
    request = self.requests[request_id]
    if request["status"] != "granted":
        return {"success": False, "error": "The request is not granted"}
    packet = self.packets[request["packet_id"]]
    request["status"] = "sent"
    packet["seeds"] -= request["seeds"]
    if packet["seeds"] == 0:
        packet["status"] = "sent"
    return {"success": True, "message": "The seeds are sent."}
''',
    "withdraw_packet": '''\
def withdraw_packet(self, packet_id: str) -> dict:
    """
    Withdraw a packet for which nobody has an open or granted request.

    Args:
        packet_id (str): The id of the packet.

    Returns:
        dict: {"success": True, "message": str} or {"success": False, "error": str}
    """
    if packet_id not in self.packets:
        return {"success": False, "error": "Packet not found"}
    if self.packets[packet_id]["status"] not in ("offered", "promised"):
        return {"success": False, "error": "The packet is not offered any more"}
    if any(one["packet_id"] == packet_id and one["status"] in ("open", "granted") for one in self.requests.values()):
        return {"success": False, "error": "Somebody has asked for seeds of the packet"}
    self.packets[packet_id]["status"] = "withdrawn"
    return {"success": True, "message": "The packet is withdrawn."}
''',
}
FORGETFUL = METHODS["send_seeds"].replace('    packet["seeds"] -= request["seeds"]\n', "")
"""As the model writes it first: the seeds are sent and stay."""
REFUSED = METHODS["list_varieties"].replace("    return {", "    import os\n    return {", 1)
"""As the model writes it first: with an import that no environment needs."""

CHANGES = {"offer_packet", "request_seeds", "grant_request", "refuse_request", "send_seeds", "withdraw_packet"}
RULES = [
    "A packet is offered with 10 seeds at least.",
    "Nobody asks for seeds of their own packet.",
    "No more seeds of a packet are granted than it holds.",
    "Whoever is granted seeds pays with a credit, and whoever offers a packet earns one.",
    "A packet for which somebody has an open or granted request is not withdrawn.",
]
ENTITIES = {
    "Member": ("members", "Somebody who swaps seeds."),
    "Variety": ("varieties", "A named variety of a crop."),
    "Packet": ("packets", "Seeds that a member offers."),
    "Request": ("requests", "A member's wish for seeds of a packet."),
}

CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("find_member", "positive", {"name": "Rosa Lind"}),
    ("find_member", "negative", {"name": "Nobody Atall"}),
    ("list_varieties", "positive", {"crop": "bean"}),
    ("list_varieties", "negative", {"crop": 7}),
    ("list_packets", "positive", {"owner_id": "MB-1"}),
    ("list_packets", "negative", {"owner_id": 7}),
    ("list_requests", "positive", {"packet_id": "PK-001"}),
    ("list_requests", "negative", {"packet_id": 7}),
    ("seeds_left", "positive", {"packet_id": "PK-001"}),
    ("seeds_left", "negative", {"packet_id": "PK-999"}),
    ("offer_packet", "positive", {"owner_id": "MB-2", "variety_id": "VR-1", "seeds": 25, "harvested": "2025-09-14"}),
    ("offer_packet", "negative", {"owner_id": "MB-2", "variety_id": "VR-1", "seeds": 5, "harvested": "2025-09-14"}),
    ("request_seeds", "positive", {"packet_id": "PK-002", "member_id": "MB-1", "seeds": 5, "note": "for the school"}),
    ("request_seeds", "negative", {"packet_id": "PK-001", "member_id": "MB-1", "seeds": 5}),
    ("grant_request", "positive", {"request_id": "RQ-001"}),
    ("grant_request", "negative", {"request_id": "RQ-999"}),
    ("refuse_request", "positive", {"request_id": "RQ-001", "note": "too late this year"}),
    ("refuse_request", "negative", {"request_id": "RQ-003", "note": "too late this year"}),
    ("send_seeds", "positive", {"request_id": "RQ-003"}),
    ("send_seeds", "negative", {"request_id": "RQ-001"}),
    ("withdraw_packet", "positive", {"packet_id": "PK-006"}),
    ("withdraw_packet", "negative", {"packet_id": "PK-001"}),
]

_NAMES = (
    "Rosa Lind",
    "Piet Vos",
    "Amara Cole",
    "Jonas Berg",
    "Nadia Khoury",
    "Tom Alder",
    "Ines Duarte",
    "Kofi Mensah",
)
_TOWNS = ("Harrow", "Delft", "Bristol", "Visby", "Lyon", "Cork", "Porto", "Leeds")
_VARIETIES = (
    ("Cherokee Trail", "bean"),
    ("Lazy Housewife", "bean"),
    ("Brandywine", "tomato"),
    ("Black Krim", "tomato"),
    ("Crown Prince", "squash"),
    ("Red Kuri", "squash"),
    ("Green Arrow", "pea"),
)


def state(turn: int) -> dict[str, Any]:
    """A start state; each turn deals people, packets and requests anew."""
    members = {
        f"MB-{n}": {
            "member_id": f"MB-{n}",
            "name": _NAMES[(n + turn - 1) % len(_NAMES)],
            "town": _TOWNS[(n * 3 + turn) % len(_TOWNS)],
            "credits": (n + turn) % 3 + 1,
        }
        for n in range(1, len(_NAMES) + 1)
    }
    varieties = {
        f"VR-{n}": {"variety_id": f"VR-{n}", "name": name, "crop": crop, "rare": n % 3 == 0}
        for n, (name, crop) in enumerate(_VARIETIES, start=1)
    }
    packets = {
        f"PK-{n:03d}": {
            "packet_id": f"PK-{n:03d}",
            "variety_id": f"VR-{(n + turn - 1) % len(_VARIETIES) + 1}",
            "owner_id": f"MB-{(n - 1) % len(_NAMES) + 1}",
            "seeds": 20 + 5 * ((n + turn) % 4),
            "harvested": f"2025-09-{10 + n:02d}",
            "status": "offered",
        }
        for n in range(1, 10)
    }
    asked = [
        ("PK-001", "MB-3", 10),
        ("PK-002", "MB-4", 5),
        ("PK-003", "MB-5", 8),
        ("PK-004", "MB-6", 12),
        ("PK-005", "MB-7", 6),
    ]
    requests = {
        f"RQ-{n:03d}": {
            "request_id": f"RQ-{n:03d}",
            "packet_id": packet,
            "member_id": member,
            "seeds": seeds,
            "status": "granted" if n == 3 else "open",
            "note": ("for a school garden", "", "swap for peas?", "", "first try")[n - 1],
        }
        for n, (packet, member, seeds) in enumerate(asked, start=1)
    }
    return {"members": members, "varieties": varieties, "packets": packets, "requests": requests}


TASKS = {
    "Rosa Lind": (
        (
            "Rosa Lind writing. Please grant what Amara Cole asked of my Cherokee Trail beans, and put it down as sent too, I "
            "posted them this morning. I've a fresh packet of Brandywine to offer as well: 30 seeds, harvested on 2025-10-02. "
            "And could you ask Piet Vos for 8 of his Lazy Housewife beans on my behalf, with the note “for the fence by the gate”?"
        ),
    ),
    "Piet Vos": (
        (
            "Three small things from the spring meeting. Ines Duarte keeps her Green Arrow peas this year after all, so take that "
            "packet off the list. Nadia Khoury has to turn down what Ines asked of her Crown Prince squash; tell her kindly why, in "
            "words of your own. And what Jonas Berg had promised Tom Alder of his Black Krim went to the post office today."
        ),
        (
            "Three small things from the spring meeting. Ines Duarte keeps her Green Arrow peas this year after all, so take that "
            "packet off the list. Nadia Khoury has to turn down what Ines asked of her Crown Prince squash; what she wants her to "
            "read is “the mice got half of it”. And what Jonas Berg had promised Tom Alder of his Black Krim is in the post today."
        ),
    ),
    "Amara Cole": (
        (
            "Evening, the seed stewards here. Tom Alder is happy to let Kofi Mensah have the Red Kuri he asked for, and Ines Duarte "
            "says yes to Rosa Lind about the peas. Jonas Berg must refuse Tom, the line to write is “my sister comes first”. Last "
            "one: put Nadia Khoury down with Jonas for a dozen of his Black Krim seeds, and there is no need to add anything to it."
        ),
    ),
}
"""By who is first in the state, the task as it is written first, and again where it must be."""

Turns = tuple[tuple[tuple[str, dict[str, Any]], ...], ...]
PLANS: dict[str, Turns] = {
    "Rosa Lind": (
        (("find_member", {"name": "Rosa Lind"}), ("find_member", {"name": "Amara Cole"}), ("list_varieties", {})),
        (("list_packets", {"owner_id": "MB-1"}), ("find_member", {"name": "Piet Vos"})),
        (("list_requests", {"packet_id": "PK-001"}), ("list_packets", {"owner_id": "MB-2", "variety_id": None})),
        (("send_seeds", {"request_id": "RQ-001"}),),
        (("grant_request", {"request_id": "RQ-001"}),),
        (("send_seeds", {"request_id": "RQ-001"}),),
        (
            ("offer_packet", {"owner_id": "MB-1", "variety_id": "VR-3", "seeds": 30, "harvested": "2025-10-02"}),
            (
                "request_seeds",
                {"packet_id": "PK-002", "member_id": "MB-1", "seeds": 8, "note": "for the fence by the gate"},
            ),
        ),
    ),
    "Piet Vos": (
        (("find_member", {"name": "Ines Duarte"}), ("find_member", {"name": "Nadia Khoury"})),
        (("find_member", {"name": "Jonas Berg"}), ("list_varieties", {})),
        (
            ("list_packets", {"owner_id": "MB-6"}),
            ("list_packets", {"owner_id": "MB-4"}),
            ("list_packets", {"owner_id": "MB-3"}),
        ),
        (("list_requests", {"packet_id": "PK-004"}), ("list_requests", {"packet_id": "PK-003"})),
        (
            ("withdraw_packet", {"packet_id": "PK-006"}),
            ("refuse_request", {"request_id": "RQ-004", "note": "the mice got half of it"}),
            ("send_seeds", {"request_id": "RQ-003"}),
        ),
    ),
    "Amara Cole": (
        tuple(("find_member", {"name": name}) for name in ("Tom Alder", "Ines Duarte", "Jonas Berg", "Nadia Khoury")),
        tuple(("list_packets", {"owner_id": owner}) for owner in ("MB-4", "MB-5", "MB-2")),
        tuple(("list_requests", {"packet_id": packet}) for packet in ("PK-004", "PK-005", "PK-002")),
        (
            ("grant_request", {"request_id": "RQ-004"}),
            ("grant_request", {"request_id": "RQ-005"}),
            ("refuse_request", {"request_id": "RQ-002", "note": "my sister comes first"}),
            ("request_seeds", {"packet_id": "PK-002", "member_id": "MB-3", "seeds": 12}),
        ),
    ),
}
OWN_WORDS = {"the mice got half of it": "so sorry, there is none to spare"}
"""What the solver writes where the task leaves it to him."""


def _check(*lines: str) -> str:
    return "\n".join(["def check_func(final_state):", *(f"    {line}" for line in lines)]) + "\n"


_NEW = 'new = [one for key, one in final_state["{0}"].items() if key not in initial_state["{0}"]]'
CHECKS: dict[str, tuple[dict[str, str], ...]] = {
    "Rosa Lind": (
        {
            "Has Amara Cole's request been granted and sent?": _check(
                'return final_state["requests"]["RQ-001"]["status"] == "sent"'
            ),
            "Has a packet of Brandywine been offered?": _check(
                _NEW.format("packets"), 'return any(one["variety_id"] == "VR-3" for one in new)'
            ),
        },
        {
            "Has Amara Cole's request been granted, paid and sent?": _check(
                'request, start = final_state["requests"]["RQ-001"], initial_state["members"]["MB-3"]["credits"]',
                'paid = final_state["members"]["MB-3"]["credits"] == start - 1',
                'left = initial_state["packets"]["PK-001"]["seeds"] - request["seeds"]',
                'return request["status"] == "sent" and paid and final_state["packets"]["PK-001"]["seeds"] == left',
            ),
            "Has one packet of 30 Brandywine seeds been offered by Rosa Lind?": _check(
                _NEW.format("packets"),
                'wanted = {"variety_id": "VR-3", "owner_id": "MB-1", "seeds": 30, "harvested": "2025-10-02", "status": "offered"}',
                "return len(new) == 1 and all(new[0][name] == value for name, value in wanted.items())",
            ),
            "Has Rosa Lind earned a credit?": _check(
                'return final_state["members"]["MB-1"]["credits"] == initial_state["members"]["MB-1"]["credits"] + 1'
            ),
            "Has Piet Vos been asked for 8 beans with the note?": _check(
                _NEW.format("requests"),
                'wanted = {"packet_id": "PK-002", "member_id": "MB-1", "seeds": 8, "status": "open"}',
                'note = [one for one in new if one["note"] == "for the fence by the gate"]',
                "return len(note) == 1 and all(note[0][name] == value for name, value in wanted.items())",
            ),
        },
    ),
    "Piet Vos": (
        {
            "Has the packet of Green Arrow been withdrawn?": _check(
                'return final_state["packets"]["PK-006"]["status"] == "withdrawn"'
            ),
            "Has what Ines Duarte asked been refused with these words?": _check(
                'request = final_state["requests"]["RQ-004"]',
                'return request["status"] == "refused" and request["note"] == "the mice got half of it"',
            ),
            "Has what Tom Alder was promised been sent?": _check(
                'request, packet = final_state["requests"]["RQ-003"], final_state["packets"]["PK-003"]',
                'left = initial_state["packets"]["PK-003"]["seeds"] - request["seeds"]',
                'return request["status"] == "sent" and packet["seeds"] == left',
            ),
        },
    ),
    "Amara Cole": (
        {
            "Has Kofi Mensah been granted his seeds for a credit?": _check(
                'paid = final_state["members"]["MB-6"]["credits"] == initial_state["members"]["MB-6"]["credits"] - 1',
                'return final_state["requests"]["RQ-004"]["status"] == "granted" and paid',
            ),
            "Has Rosa Lind been granted hers for a credit?": _check(
                'paid = final_state["members"]["MB-7"]["credits"] == initial_state["members"]["MB-7"]["credits"] - 1',
                'return final_state["requests"]["RQ-005"]["status"] == "granted" and paid',
            ),
            "Has Tom Alder been refused?": _check(
                'request = final_state["requests"]["RQ-002"]',
                'return request["status"] == "refused" and request["note"] == "my sister comes first"',
            ),
            "Has Nadia Khoury asked for a dozen seeds of Black Krim?": _check(
                _NEW.format("requests"),
                'wanted = {"packet_id": "PK-002", "member_id": "MB-3", "seeds": 12, "status": "open", "note": ""}',
                "return len(new) == 1 and all(new[0][name] == value for name, value in wanted.items())",
            ),
        },
    ),
}

TOPIC = {
    "analysis": "Members of a seed exchange swap packets all year; they keep who offers what and who was promised what.",
    "id": "seed_exchange",
    "title": "Seed exchange",
    "introduction": (
        "Keeps the members of a seed exchange, the varieties they grow, the packets they offer and who asks for them. "
        "Stewards grant and refuse requests, and members pay with credits. Packets are small and run out."
    ),
    "usefulness": 7,
    "modelability": 9,
}
