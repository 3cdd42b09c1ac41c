"""Rules whose shape makes it hard to know which records a write has touched; each was once got past."""

from __future__ import annotations

from typing import Any

from envscaler_mcp.language.model import Model
from tests.language.small import sound
from tests.synthesis.twins import Twins

EMPTY: dict[str, Any] = {"int": 5, "money": 0, "date": "2026-01-01", "text": "x"}


def record(model: Model, entity: str, id_: str, **values: Any) -> dict[str, Any]:
    """A record with something in every attribute that needs it."""
    found: dict[str, Any] = {"id": id_}
    for attribute in model.entities[entity].stored:
        type_ = attribute.type
        filled = type_.options[0] if type_.options else EMPTY.get(type_.kind)
        found[attribute.key] = None if type_.optional else values.get(attribute.key, filled)
    return found


def world(model: Model) -> Twins:
    wards = {id_: record(model, "Ward", id_, name=f"Ward {id_}") for id_ in ("WARD-00001", "WARD-00002", "WARD-00003")}
    stays = {f"STAY-{n:05d}": record(model, "Stay", f"STAY-{n:05d}", ward_id=f"WARD-{n:05d}") for n in (1, 2)}
    return Twins(model, {"wards": wards, "nurses": {}, "stays": stays})


def test_a_rule_reads_through_definitions_however_deep() -> None:
    define = "\n".join(f'"d{n}(w: Ward)": d{n + 1}(w)' for n in range(1, 16))
    define += "\n\"d16(w: Ward)\": count(Stay, ward=w, status='open') < 2"
    tried = world(sound(define=define, rules="- text: One stay a ward.\n  holds: all(d1(w) for w in Ward)"))
    assert tried.call("admit", {"ward_id": "WARD-00003"})["success"]
    assert tried.call("admit", {"ward_id": "WARD-00001"})["error"] == "One stay a ward."


ROOMS = "Box:\n  stay: ref(Stay)"
BOXED = (
    "- text: Every ward has its box.\n  holds: all(any(b for b in Box if b.stay.ward == w) for w in Ward if w.beds < 5)"
)
OPERATIONS = """\
box:
  about: Put a box there.
  params:
    stay: ref(Stay)
  effect:
    - new Box(stay)
  say: put a box
shrink:
  about: Take beds away.
  params:
    ward: ref(Ward)
  effect:
    - ward.beds = 4
  say: shrink {ward}
move:
  about: Move a stay and its boxes to another ward.
  params:
    stay: ref(Stay)
    ward: ref(Ward)
  effect:
    - stay.ward = ward
  say: move {stay}
merge:
  about: Put the boxes of a stay to another one, and delete it.
  params:
    stay: ref(Stay)
    other: ref(Stay)
  effect:
    - for b in Box if b.stay == stay:
        - b.stay = other
    - delete stay
  say: merge stays
"""


def boxed() -> Twins:
    tried = world(sound(entities=ROOMS, rules=BOXED, operations=OPERATIONS))
    for number in (1, 2):
        assert tried.call("box", {"stay_id": f"STAY-0000{number}"})["success"]
    assert tried.call("shrink", {"ward_id": "WARD-00001"})["success"]
    return tried


def test_what_a_reference_in_the_middle_led_to_before_is_asked() -> None:
    tried = boxed()
    assert tried.call("move", {"stay_id": "STAY-00001", "ward_id": "WARD-00002"})["error"] == "Every ward has its box."
    assert tried.call("move", {"stay_id": "STAY-00002", "ward_id": "WARD-00001"})["success"]
    assert tried.call("move", {"stay_id": "STAY-00001", "ward_id": "WARD-00002"})["success"]


def test_what_was_reached_through_a_deleted_record_is_asked() -> None:
    tried = boxed()
    assert (
        tried.call("merge", {"stay_id": "STAY-00001", "other_id": "STAY-00002"})["error"] == "Every ward has its box."
    )
    assert tried.call("merge", {"stay_id": "STAY-00002", "other_id": "STAY-00001"})["success"]
