"""An author who plays a part, behind an endpoint: what is asked is known by how its prompt begins."""

from __future__ import annotations

import json

from envscaler_mcp.llm import ChatRequest, Message
from tests.llm.asking import Actor
from tests.llm.endpoint import Asked, Reply, Say, Script, Vector

PURPOSE = {
    "sort requests": "judge_tasks",
    "design environments in which": "name_topic",
    "model lines of work": "infer_state",
    "design the tools": "infer_operations",
    "write plain Python 3.11, typed": "write_class",
    "write one method": "write_method",
    "mend one method": "repair_method",
    "fill environments": "write_state",
    "test an environment": "pick_calls",
    "judge how the operations": "judge_calls",
    "write blueprints: the logic": "write_blueprint",
    "mend blueprints: the logic": "repair_blueprint",
    "write how people of a trade speak": "write_stories",
    "writes to an assistant what": "word_task",
    "write tasks for assistants": "write_task",
    "carry out what you are asked": "solve_task",
    "find the words": "find_words",
    "write how a task is checked": "write_checks",
}

_FIXED = (1000, 200)


def speaking(author: Actor, *, measured: bool = False) -> Script:
    """The author behind an endpoint: what it is asked for is known by how the prompt begins.

    Every answer takes the same number of tokens, or one for four characters where it is measured.
    """

    def script(asked: Asked) -> Reply:
        if "input" in asked:
            return Vector()
        system = asked["messages"][0]["content"][:300]
        purpose = next(purpose for begin, purpose in PURPOSE.items() if begin in system)
        turns = tuple(Message(role=one["role"], content=one["content"] or "") for one in asked["messages"])
        said = author.say(ChatRequest(purpose=purpose, model=asked["model"], messages=turns))
        heard = len(json.dumps([asked["messages"], asked.get("tools", [])]))
        usage = (heard // 4, len(json.dumps(said)) // 4) if measured else _FIXED
        if isinstance(said, str):
            return Say(said, usage=usage)
        calls = [(name, json.dumps(arguments)) for name, arguments in said]
        return Say(None, finish="tool_calls", tool_calls=calls, usage=usage)

    return script
