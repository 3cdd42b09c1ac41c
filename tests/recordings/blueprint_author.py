"""A model that writes an environment as a blueprint: what it says to each prompt, with mistakes that it mends."""

from __future__ import annotations

import json
import re
from types import ModuleType

from envscaler_mcp.llm import ChatRequest
from tests.llm.asking import Actor, Part
from tests.pipeline.lending_author import fenced, says_it_again
from tests.quality.test_agents import content


def blueprint_author(material: ModuleType) -> Actor:
    """Logic that does not compile, then logic that forgets something, then logic that is right; stories the same way."""

    def sorts(question: ChatRequest) -> str:
        found = re.findall(r"(?m)^(\d+)\. (.*)$", content(question))
        verdicts = [
            {"number": int(n), "reason": "Somebody keeps it." if kept else "Anybody knows.", "stateful": kept}
            for n, text in found
            for kept in [not text.startswith("How")]
        ]
        return json.dumps({"verdicts": verdicts})

    def writes(question: ChatRequest) -> str:
        return fenced(material.FIRST_LOGIC if len(question.messages) == 2 else material.WRONG_LOGIC, "yaml")

    def tells(question: ChatRequest) -> str:
        return fenced(material.FIRST_STORIES if len(question.messages) == 2 else material.STORIES, "yaml")

    def judges(question: ChatRequest) -> str:
        tool, words, reason = material.FAULT
        verdicts = []
        for number, called in re.findall(r"(?m)^(\d+)\. (\w+)\(", content(question)):
            told = content(question).partition(f"\n{number}. ")[2].partition(f"\n{int(number) + 1}. ")[0]
            wrong = called == tool and words not in content(question) and '"success":true' in told
            verdicts.append(
                {
                    "number": int(number),
                    "reason": reason if wrong else "It does what it says.",
                    "judgement": "fail" if wrong else "pass",
                }
            )
        return json.dumps({"verdicts": verdicts})

    parts: dict[str, Part] = {
        "judge_tasks": sorts,
        "name_topic": [f"Here it is.\n```json\n{json.dumps(material.TOPIC)}\n```"],
        "write_blueprint": writes,
        "repair_blueprint": [fenced(material.LOGIC, "yaml")],
        "write_stories": tells,
        "pick_calls": material.picks,
        "judge_calls": judges,
        "word_task": says_it_again,
    }
    return Actor(**parts)
