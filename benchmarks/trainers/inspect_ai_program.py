"""Inspect's own `eval`, with its provider for scripts, which plays the calls of a task."""

import json
import sys
import tempfile
import time

from inspect_ai import eval as evaluate
from inspect_ai.model import ModelOutput, get_model
from tasks import TASKS, TOKEN, URL

from envscaler_mcp import rl
from envscaler_mcp.rl.inspect_ai import envscaler

NAMES = sorted({task["environment"] for task in TASKS})
WANTED = {task["id"] for task in TASKS}
with rl.connect(URL, TOKEN) as gym:
    ORACLES = {scenario.task: list(scenario.oracle) for scenario in gym.tasks(NAMES) if scenario.id in WANTED}


def scripted(idle):
    async def words(text):
        return len(text) // 4

    def play(messages, tools, tool_choice, config):
        made = sum(message.role == "assistant" for message in messages)
        calls = [] if idle else ORACLES[next(message.text for message in messages if message.role == "user")]
        if made < len(calls):
            return ModelOutput.for_tool_call("mockllm", calls[made].tool, dict(calls[made].arguments))
        return ModelOutput.for_tool_call("mockllm", "submit", {"answer": "done"})

    model = get_model("mockllm/model", custom_outputs=play, memoize=False)
    # It would be counted with a vocabulary that is fetched from elsewhere.
    model.api.count_text_tokens = words
    return model


def rewards(idle):
    task = envscaler(NAMES, split=None, url=URL, token=TOKEN)
    with tempfile.TemporaryDirectory() as folder:
        log = evaluate(task, model=scripted(idle), sample_id=sorted(WANTED), display="none", log_dir=folder)[0]
        assert log.status == "success", log.error
        # Samples are read from the log when they are asked for.
        scores = {sample.id: sample.scores["verdict"].value for sample in log.samples}
    return [scores[task["id"]] for task in TASKS]


began = time.perf_counter()
solved = rewards(idle=False)
seconds = time.perf_counter() - began
steps = sum(len(task["oracle"]) + 1 for task in TASKS)
sys.stdout.write(json.dumps({"solved": solved, "idle": rewards(idle=True), "steps": steps, "seconds": seconds}) + "\n")
