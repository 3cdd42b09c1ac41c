"""What the programs beside this one are given, and what they say: each plays tasks through one trainer's own classes.

They run in an environment that has the trainer, as `python PROGRAM URL TASKS`, with a farm's token in ENVSCALER_FARM_TOKEN.
TASKS is a JSON file with the environment, the id and the oracle of each. They print, as JSON, the reward of the solution and of
doing nothing for each task, and how many steps a second were made.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

URL = sys.argv[1]
TOKEN = os.environ["ENVSCALER_FARM_TOKEN"]
TASKS = json.loads(Path(sys.argv[2]).read_text())


def told(play: Callable[[dict, list], tuple[float, int]]) -> None:
    """Play each task with its solution and without; `play` gives the reward and the number of steps."""
    began, steps, solved = time.perf_counter(), 0, []
    for task in TASKS:
        reward, made = play(task, task["oracle"])
        solved.append(reward)
        steps += made
    seconds = time.perf_counter() - began
    idle = [play(task, [])[0] for task in TASKS]
    print(json.dumps({"solved": solved, "idle": idle, "steps": steps, "seconds": seconds}))


def written(call: dict) -> str:
    """A call as a policy writes it."""
    said = json.dumps({"name": call["tool"], "arguments": call["arguments"]}, ensure_ascii=False)
    return f"<tool_call>\n{said}\n</tool_call>"
