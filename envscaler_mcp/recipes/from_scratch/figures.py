"""The results of all experiments of a folder as pictures and a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from envscaler_mcp.html.curves import Curve, curves
from envscaler_mcp.plain_files import replacing


def draw(out: Path) -> list[Path]:
    """Write the pictures of the experiments that have a result, and `results.md`; which files were written."""
    results = {
        file.parent.name: json.loads(file.read_text(encoding="utf-8")) for file in sorted(out.glob("*/result.json"))
    }
    played = {name: result for name, result in results.items() if "unseen" in result}
    pictures = {
        "learning.svg": curves(
            "Tokens of the agent that were predicted rightly, in training",
            "processor minutes",
            "share",
            [
                Curve(name, [(line["cpu"] / 60, line["right"]) for line in result["training"]["log"]])
                for name, result in played.items()
            ],
        ),
        "minutes.svg": curves(
            "Unseen tasks that were solved, by minutes of training",
            "processor minutes",
            "share",
            [
                Curve(
                    name,
                    [
                        (0.0, 0.0),
                        *((each["cpu_minutes"], each["solved"] / max(1, each["tasks"])) for each in result["scores"]),
                    ],
                )
                for name, result in played.items()
                if len(result["scores"]) > 1
            ],
        ),
        "tasks.svg": _against(played, "tasks that were learned", lambda result: result["demonstrations"]["learned"]),
        "parameters.svg": _against(
            played, "parameters, in millions", lambda result: result["training"]["parameters"] / 1e6
        ),
        "worlds.svg": _against(played, "worlds", lambda result: result["tasks_train"]["worlds"]),
        "grpo.svg": curves(
            "Mean reward of what was drawn, by step of GRPO",
            "step",
            "reward",
            [
                Curve(name, [(line["step"], line["reward"]) for line in result["grpo"]])
                for name, result in played.items()
                if "grpo" in result
            ],
        ),
    }
    pictures = {name: picture for name, picture in pictures.items() if picture}
    for name, text in {**pictures, "results.md": results_table(played)}.items():
        with replacing(out / name) as part:
            part.write_text(text, encoding="utf-8")
    return [out / name for name in (*pictures, "results.md")]


def results_table(results: dict[str, dict[str, Any]]) -> str:
    """A row for each experiment, as Markdown."""
    head = (
        "experiment",
        "worlds",
        "level",
        "tasks",
        "parameters",
        "tokens",
        "epochs",
        "CPU minutes",
        "minutes",
        "solved, unseen",
        "after GRPO",
    )
    rows = [head, tuple("---" for _ in head), *(_row(name, result) for name, result in results.items())]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(name: str, result: dict[str, Any]) -> tuple[str, ...]:
    training = result["training"]
    return (
        name,
        str(result["tasks_train"]["worlds"]),
        result["plan"]["level"],
        f"{result['demonstrations']['learned']:,}",
        f"{training['parameters'] / 1e6:.1f} M",
        f"{training['tokens'] / 1e6:.1f} M",
        f"{training['epochs']:.1f}",
        f"{training['cpu_minutes']:.0f}",
        f"{training['minutes']:.0f}",
        _solved(result["unseen"]),
        _solved(result["unseen_after_grpo"]) if "unseen_after_grpo" in result else "",
    )


def _solved(score: dict[str, Any]) -> str:
    return f"{score['solved']} of {score['tasks']} ({score['solved'] / max(1, score['tasks']):.0%})"


def _against(results: dict[str, dict[str, Any]], what: str, measure: Any) -> str:
    points = sorted(
        (float(measure(result)), result["unseen"]["solved"] / max(1, result["unseen"]["tasks"]))
        for result in results.values()
    )
    if len({x for x, _ in points}) < 2:
        return ""
    return curves("Unseen tasks that were solved", what, "share", [Curve("", points)], joined=False)
