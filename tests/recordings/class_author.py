"""A model that writes environments as classes: what it says to each prompt, by what its material holds."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from envscaler_mcp.llm import ChatRequest
from tests.llm.asking import Actor, Calls, Part
from tests.pipeline.lending_author import fenced, says_it_again
from tests.quality.test_agents import content, picked


@dataclass
class ClassAuthor:
    """Everything that a model says to make one environment of the material."""

    material: ModuleType
    topic: dict[str, Any]
    spoilt: dict[str, str] = field(default_factory=dict)
    """Methods as they are written first."""
    fault: tuple[str, str, str] = ("", "", "")
    """The tool that does wrong until its code holds some words, and what the judge says."""

    def actor(self) -> Actor:
        parts: dict[str, Part] = {
            "judge_tasks": self.sorts,
            "name_topic": [f"<think>Who does this all day?</think>\n```json\n{json.dumps(self.topic)}\n```"],
            "infer_state": ["It keeps members, varieties, packets and requests.", self.space()],
            "infer_operations": [self.operations()],
            "write_class": [fenced(self.material.DEFINITION)],
            "write_method": self.writes,
            "repair_method": self.writes,
            "write_state": self.deals,
            "pick_calls": self.picks,
            "judge_calls": self.judges,
            "word_task": says_it_again,
            "write_task": self.asks,
            "solve_task": self.solves,
            "find_words": self.finds,
            "write_checks": self.checks,
        }
        return Actor(**parts)

    def sorts(self, question: ChatRequest) -> str:
        found = re.findall(r"(?m)^(\d+)\. (.*)$", content(question))
        verdicts = [{"number": int(n), "reason": _reason(text), "stateful": not _idle(text)} for n, text in found]
        return json.dumps({"verdicts": verdicts})

    def space(self) -> dict[str, Any]:
        start = self.material.state(0)
        return {
            "entities": [
                {
                    "name": name,
                    "container": container,
                    "about": about,
                    "attributes": [
                        {"name": one, "type": type(value).__name__, "about": one.replace("_", " ")}
                        for one, value in next(iter(start[container].values())).items()
                    ],
                }
                for name, (container, about) in self.material.ENTITIES.items()
            ],
            "rules": self.material.RULES,
        }

    def operations(self) -> dict[str, Any]:
        changes = self.material.CHANGES
        return {
            "operations": [
                {
                    "name": name,
                    "kind": "change" if name in changes else "query",
                    "about": text.split('"""')[1].split("\n")[1].strip(),
                }
                for name, text in self.material.METHODS.items()
            ]
        }

    def writes(self, question: ChatRequest) -> str:
        found = re.search(r"Write the method `(\w+)`", content(question))
        assert found is not None
        name = found[1]
        first = question.purpose == "write_method" and len(question.messages) == 2
        return fenced(self.spoilt.get(name, self.material.METHODS[name]) if first else self.material.METHODS[name])

    def deals(self, question: ChatRequest) -> str:
        number = re.search(r"state number (\d+)", content(question), re.IGNORECASE)
        assert number is not None
        return fenced(json.dumps(self.material.state(int(number[1]) - 1), indent=1), "json")

    def picks(self, question: ChatRequest) -> str:
        """Those of tools that were not tried, as the question tells."""
        calls = [one for one in self.material.CALLS if f"{one[0]} 0 positive, 0 negative" in content(question)]
        return json.dumps(picked(calls[:12] or self.material.CALLS[:12]))

    def judges(self, question: ChatRequest) -> str:
        tool, words, reason = self.fault
        verdicts = []
        for number, called in re.findall(r"(?m)^(\d+)\. (\w+)\(", content(question)):
            wrong = called == tool and words not in content(question) and '"success":true' in _told(question, number)
            verdicts.append(
                {
                    "number": int(number),
                    "reason": reason if wrong else "It does what it says.",
                    "judgement": "fail" if wrong else "pass",
                }
            )
        return json.dumps({"verdicts": verdicts})

    # Tasks before their plans

    def asks(self, question: ChatRequest) -> str:
        who = self.first_in(question)
        drafts = self.material.TASKS[who]
        return str(next((one for one in drafts if one not in content(question)), drafts[-1]))

    def solves(self, question: ChatRequest) -> str | Calls:
        who, task = next(
            (who, task) for who, tasks in self.material.TASKS.items() for task in tasks if task in content(question)
        )
        turn = sum(message.role == "assistant" for message in question.messages)
        plan = self.material.PLANS[who]
        if turn >= len(plan):
            return "Task Completed"
        return tuple(
            (tool, {name: self._own(value, task) for name, value in given.items()}) for tool, given in plan[turn]
        )

    def _own(self, value: Any, task: str) -> Any:
        """What a solver says instead where the task leaves it to him."""
        return self.material.OWN_WORDS.get(value, value) if isinstance(value, str) and value not in task else value

    def finds(self, question: ChatRequest) -> str:
        asked = re.findall(r"(?m)^(\d+)\. .* = (.*)$", content(question))
        quotes = [{"number": int(n), "words": "a dozen" if value == "12" else ""} for n, value in asked]
        return json.dumps({"quotes": quotes})

    def checks(self, question: ChatRequest) -> str:
        who = self.first_in(question)
        drafts = self.material.CHECKS[who]
        found = drafts[min(sum(one.role == "assistant" for one in question.messages), len(drafts) - 1)]
        return json.dumps({"objection": "", "checks": [{"question": q, "function": f} for q, f in found.items()]})

    def first_in(self, question: ChatRequest) -> str:
        """Who is first in the state that a question tells."""
        found = re.search(r'"member_id": "MB-1",\s+"name": "([^"]+)"', content(question))
        assert found is not None
        return found[1]


def _told(question: ChatRequest, number: str) -> str:
    """What is told of one call: from its number to the next one's."""
    return content(question).partition(f"\n{number}. ")[2].partition(f"\n{int(number) + 1}. ")[0]


def _idle(text: str) -> bool:
    return text.startswith(("What", "Write", "Explain", "Translate"))


def _reason(text: str) -> str:
    return "Nothing is kept or changed." if _idle(text) else "Members, packets and requests are looked up and changed."
