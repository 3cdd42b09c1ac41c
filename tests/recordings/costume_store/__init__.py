"""What a good model says when it writes the costume store of a theatre as a blueprint; with mistakes that it mends."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from envscaler_mcp.llm import ChatRequest
from envscaler_mcp.synthesis.written.blueprints import only, without
from tests.quality.test_agents import content, picked

_HERE = Path(__file__).parent
_SPOKEN = ("words", "stories")


def _text(name: str) -> str:
    return (_HERE / f"{name}.yaml").read_text(encoding="utf-8")


LOGIC, STORIES = without(_text("right"), _SPOKEN), only(_text("right"), _SPOKEN)
FIRST_LOGIC = _text("first_logic")
"""With an entity and an attribute that there are not, and a guard that is missing."""
WRONG_LOGIC = _text("wrong_logic")
"""Sound, but a costume that was cleaned keeps its wears."""
FIRST_STORIES = _text("first_stories")
"""With a parameter that there is not, and a cast that nobody fits."""
FAULT = (
    "take_back",
    '_put("costumes", costume, "wears", 0)',
    "A costume comes back from cleaning with its old wears, although they are to be counted from nought again.",
)
TOPIC = {
    "analysis": "Wardrobe staff fit, lend out, clean and repair costumes all day; they keep who wears what in which show.",
    "id": "costume_store",
    "title": "Costume store",
    "introduction": (
        "Keeps the costumes of a theatre, the actors they are fitted to, and the productions and performances that need them. "
        "Costumes are assigned to roles, fitted, worn, cleaned and repaired. None is needed in two places on one day."
    ),
    "usefulness": 8,
    "modelability": 9,
}

_TRIED = re.compile(r"(\w+) (\d+) positive, (\d+) negative")

Call = tuple[str, str, dict[str, Any]]


def picks(question: ChatRequest) -> str:
    """Calls of what was not tried yet, worked out from the state that the question shows."""
    shown = re.search(r"```json\n(.*?)\n```", content(question), re.DOTALL)
    assert shown is not None
    calls = list(_calls(json.loads(shown[1])))
    counts = {
        tool: {"positive": int(done), "negative": int(not_)} for tool, done, not_ in _TRIED.findall(content(question))
    }
    open_ones = [one for one in calls if not counts[one[0]][one[1]]]
    return json.dumps(picked((open_ones or calls)[:14]))


def _calls(state: dict[str, Any]) -> Iterator[Call]:
    costumes, assignments = state["costumes"], state["assignments"]

    def costume(*conditions: str) -> str:
        return next((key for key, one in costumes.items() if one["condition"] in conditions), "COSTUME-99999")

    def assignment(status: str) -> str:
        return next((key for key, one in assignments.items() if one["status"] == status), "ASSIGNMENT-99999")

    def performance(status: str) -> str:
        return next(str(key) for key, one in state["performances"].items() if one["status"] == status)

    actor, production = next(iter(state["actors"])), next(iter(state["productions"]))
    yield "suitable_costumes", "positive", {"actor_id": actor, "production_id": production}
    yield "suitable_costumes", "negative", {"actor_id": "ACTOR-99999", "production_id": production}
    yield "performance_rack", "positive", {"performance_id": performance("planned")}
    yield "performance_rack", "negative", {"performance_id": "PERFORMANCE-99999"}
    yield "care_list", "positive", {}
    yield "list_actors", "positive", {}
    yield "get_costume", "positive", {"costume_id": costume("ready")}
    yield "get_costume", "negative", {"costume_id": "COSTUME-99999"}
    yield "list_costumes", "positive", {"condition": "ready"}
    yield "list_productions", "positive", {}
    yield "list_performances", "positive", {"status": "planned"}
    yield "list_assignments", "positive", {"status": "fitted"}
    yield "take_back", "positive", {"costume_id": costume("in_cleaning")}
    yield "take_back", "negative", {"costume_id": costume("ready")}
    yield "report_damage", "positive", {"costume_id": costume("ready"), "damage": "seam open"}
    yield "report_damage", "negative", {"costume_id": costume("torn"), "damage": "seam open"}
    yield "send_out", "positive", {"costume_id": costume("torn"), "back_on": "2026-10-15"}
    yield "send_out", "negative", {"costume_id": costume("in_cleaning"), "back_on": "2026-10-15"}
    yield "release_costume", "positive", {"assignment_id": assignment("fitted")}
    yield "release_costume", "negative", {"assignment_id": assignment("released")}
    yield "record_performance", "positive", {"performance_id": performance("planned"), "played": False}
    yield "record_performance", "negative", {"performance_id": performance("played"), "played": False}
    yield "move_fitting", "positive", {"assignment_id": assignment("fitting"), "fitting_at": "2026-11-20T10:00"}
    yield "move_fitting", "negative", {"assignment_id": assignment("fitted"), "fitting_at": "2026-11-20T10:00"}
    yield "record_fitting", "positive", {"assignment_id": _due(state), "fits": True}
    yield "record_fitting", "negative", {"assignment_id": assignment("fitted"), "fits": True}
    free = _fitting(state)
    yield (
        "assign_costume",
        "positive",
        {**free, "production_id": production, "role": "Page", "fitting_at": "2026-11-20T11:00"},
    )
    yield (
        "assign_costume",
        "negative",
        {**free, "production_id": production, "role": "Page", "fitting_at": "2026-01-20T11:00"},
    )


def _due(state: dict[str, Any]) -> str:
    """A fitting that has taken place by now, or any."""
    planned = {key: one for key, one in state["assignments"].items() if one["status"] == "fitting"}
    return min(planned, key=lambda key: (planned[key]["fitting_at"], key), default="ASSIGNMENT-99999")


def _fitting(state: dict[str, Any]) -> dict[str, str]:
    """A costume that nobody uses, and somebody whom it fits."""
    used = {one["costume_id"] for one in state["assignments"].values() if one["status"] != "released"}
    return next(
        {"costume_id": key, "actor_id": name}
        for key, one in state["costumes"].items()
        if key not in used and one["back_on"] is None
        for name, actor in state["actors"].items()
        if abs(one["size"] - actor["size"]) <= one["seam"] and one["material"] != actor["avoids"]
    )
