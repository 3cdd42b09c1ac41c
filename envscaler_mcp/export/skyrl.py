"""SkyRL's prompts for reinforcement learning. It tells a model of no tools, and so they stand in the system's message."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from envscaler_mcp.config.choices import EXPORT_FORMATS
from envscaler_mcp.export.dialogue import Dialogue, Message
from envscaler_mcp.export.filters import task_of
from envscaler_mcp.export.formats import PROMPTS, Format
from envscaler_mcp.export.hermes import instructed, system_of
from envscaler_mcp.export.prompt import ORIGIN, SOURCE, row_origin
from envscaler_mcp.export.table import Columns, write_table

_COLUMNS: Columns = {
    "data_source": "string",
    "prompt": [{"role": "string", "content": "string"}],
    "env_class": "string",
    "reward_spec": {"method": "string", "ground_truth": "string"},
    "extra_info": ORIGIN,
}


def write_skyrl(path: Path, dialogues: Iterable[Dialogue]) -> int:
    """One row for each task; `env_class` is what an environment of one's own is registered as."""
    rows = (
        {
            "data_source": SOURCE,
            "prompt": _prompt(dialogue),
            "env_class": SOURCE,
            "reward_spec": {"method": "rule", "ground_truth": dialogue.trajectory.scenario},
            "extra_info": row_origin(dialogue),
        }
        for dialogue in dialogues
    )
    return write_table(path, rows, _COLUMNS)


def _prompt(dialogue: Dialogue) -> list[Message]:
    system = {"role": "system", "content": instructed(system_of(dialogue.prompt), dialogue.tools)}
    return [system, *(message for message in dialogue.prompt if message["role"] != "system")]


FORMAT = Format(*EXPORT_FORMATS["skyrl"], write_skyrl, PROMPTS, lambda dialogue: dialogue.prompt, task_of)
