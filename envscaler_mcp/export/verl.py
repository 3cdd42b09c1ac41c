"""verl's prompts for reinforcement learning: what is asked, and which task judges the answer."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from envscaler_mcp.config.choices import EXPORT_FORMATS
from envscaler_mcp.export.dialogue import Dialogue
from envscaler_mcp.export.filters import task_of
from envscaler_mcp.export.formats import PROMPTS, Format
from envscaler_mcp.export.prompt import ORIGIN, SOURCE, row_origin
from envscaler_mcp.export.table import Columns, write_table

_COLUMNS: Columns = {
    "data_source": "string",
    "agent_name": "string",
    "prompt": [{"role": "string", "content": "string"}],
    "ability": "string",
    "reward_model": {"style": "string", "ground_truth": "string"},
    "extra_info": ORIGIN | {"index": "int64", "tools": "string"},
}


def write_verl(path: Path, dialogues: Iterable[Dialogue]) -> int:
    """One row for each task; its tools are among what a rollout is told in `extra_info`."""
    rows = (
        {
            "data_source": SOURCE,
            # Without it each prompt is answered once, by a loop that knows of no tools.
            "agent_name": SOURCE,
            "prompt": dialogue.prompt,
            "ability": "agent",
            "reward_model": {"style": "rule", "ground_truth": dialogue.trajectory.scenario},
            "extra_info": row_origin(dialogue)
            | {"index": number, "tools": json.dumps(dialogue.tools, ensure_ascii=False)},
        }
        for number, dialogue in enumerate(dialogues)
    )
    return write_table(path, rows, _COLUMNS)


FORMAT = Format(*EXPORT_FORMATS["verl"], write_verl, PROMPTS, lambda dialogue: dialogue.prompt, task_of)
