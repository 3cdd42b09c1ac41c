"""Environments and scenarios as others publish them, with what goes wrong in large releases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.scenarios.written_classes import DEVICES, LENDING, devices_state, lending_state


def environment(env_id: str, class_name: str, source: str, **more: Any) -> dict[str, Any]:
    return {
        "env_id": env_id,
        "environment_summary": f"{class_name} system",
        "environment_introduction": f"A {class_name} keeps records.  \nPeople use it daily.",
        "state_space_definition": [{"entity": "books", "attributes": "book_id, title", "description": "Books."}],
        "constraints_rules": ["A reader has at most three books."],
        "operation_list": [],
        "env_class_name": class_name,
        "env_class_code": source,
        "tools": [{"type": "function", "function": {"name": "list_books", "parameters": {}}}],
        **more,
    }


def scenario(env_id: str, task_id: str, config: Any, checks: dict[str, str], **more: Any) -> dict[str, Any]:
    return {
        "env_id": env_id,
        "env_class_name": "LendingDesk",
        "task_id": task_id,
        "init_config": config,
        "task": f"Do what {task_id} says, please.",
        "checklist_with_func": [{"check_item": item, "check_func": source} for item, source in checks.items()],
        **more,
    }


GONE = "def check_func(final_state):\n    return 'LN-0001' not in final_state['loans']"
MAIL = "def check_func(final_state):\n    return final_state['readers']['RD-1']['email'] == 'ada@example.org'"
THERE = "def check_func(final_state):\n    return 'BK-01' in final_state['books']"
RAISES = "def check_func(final_state):\n    return final_state['nothing']['there']"
SPOILS = "def check_func(final_state):\n    final_state['loans'].pop('LN-0001', None)\n    return False"
AFTER = "def check_func(final_state):\n    return len(final_state['loans']) < len(initial_state['loans'])"

ENVIRONMENTS = {
    "env_1_rl": environment("env_1_rl", "LendingDesk", LENDING),
    "env_2_sft": environment(
        "env_2_sft",
        "DeviceRegistry",
        DEVICES,
        tools=json.dumps([{"type": "function", "function": {"name": "fly", "parameters": {}}}]),
        constraints_rules=json.dumps(["A device stands in one room."]),
    ),
    "env_3": environment(
        "env_3", "Evil", "import os\n\n\nclass Evil:\n    def run(self) -> dict:\n        return os.environ\n"
    ),
    "env_4": environment("env_4", "Broken", "class Broken:\n    def (self):\n"),
    "env_6": {key: value for key, value in environment("env_6", "DeviceRegistry", DEVICES).items() if key != "env_id"},
    "env_5": {"env_id": "env_5", "environment_summary": "Nothing to run"},
}
SCENARIOS: list[dict[str, Any]] = [
    scenario(
        "env_1_rl", "task_1", lending_state(), {"Has it gone?": GONE, "Has it a mail?": MAIL, "Has it stayed?": THERE}
    ),
    scenario("env_2_sft", "task_2", json.dumps(devices_state()), {}),
    scenario(
        "env_1_rl", "task_3", lending_state(), {"Has it raised?": RAISES, "Has it gone?": GONE, "Has it none?": ""}
    ),
    scenario("env_1_rl", "task_4", lending_state(), {"Has it stayed?": THERE}),
    scenario(
        "env_1_rl", "task_1", {**lending_state(), "init_config": {}}, {"Has it gone?": GONE}, checklist=["Has it gone?"]
    ),
    scenario("env_1_rl", "task_6", lending_state(), {"Has it spoilt?": SPOILS, "Has it fewer?": AFTER}),
    scenario("env_1_rl", "task_7", "no config", {"Has it gone?": GONE}),
    scenario("env_1_rl", "task_8", lending_state(), {"Has it gone?": GONE}, task=""),
    scenario("env_3", "task_9", {}, {"Has it gone?": GONE}),
    scenario("env_77", "task_10", {}, {"Has it gone?": GONE}),
]

SCENARIOS[2]["checklist_with_func"].append("Has it come as a sentence?")


def published(folder: Path) -> tuple[Path, Path]:
    """Both files, written as they are released."""
    folder.mkdir(parents=True, exist_ok=True)
    environments, scenarios = folder / "environments.json", folder / "scenarios.json"
    environments.write_text(json.dumps(ENVIRONMENTS, indent=4, ensure_ascii=False), encoding="utf-8")
    scenarios.write_text(json.dumps(SCENARIOS, indent=4, ensure_ascii=False), encoding="utf-8")
    return environments, scenarios
