"""A run as one page that loads nothing: a list to choose from, and each episode as a conversation."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from statistics import mean
from typing import Any

from envscaler_mcp.artifacts.run import RunPlan
from envscaler_mcp.artifacts.scenario import LEVELS
from envscaler_mcp.html.counts import are, counted
from envscaler_mcp.html.parts import STYLE, histogram, table
from envscaler_mcp.html.visible import UNSEEN, visible
from envscaler_mcp.scoring.run_folder import Tally
from envscaler_mcp.viewer.packing import COLUMNS, Packed, plain_json

_HERE = Path(__file__).parent
_HEADS = {
    "id": "episode",
    "environment": "environment",
    "level": "level",
    "split": "split",
    "agent": "agent",
    "reward": "reward",
    "owner": "failure",
    "steps": "steps",
    "milliseconds": "time of calls",
}
_KEYS = (
    "<p class=keys><label><input type=checkbox id=keys checked> Keys</label>: <kbd>j</kbd> <kbd>k</kbd> next, previous; "
    "<kbd>/</kbd> search; <kbd>Esc</kbd> back to the list</p>"
)
_FILTERS = ("environment", "level", "split", "agent", "solved", "owner")


def run_page(plan: RunPlan, packed: Packed, name: str, tally: Tally, damaged: int = 0) -> str:
    """The whole page as HTML. Text from records is data to it: no markup is ever made of it, and nothing else runs."""
    style = STYLE + (_HERE / "page.css").read_text(encoding="utf-8")
    script = (_HERE / "page.js").read_text(encoding="utf-8")
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in packed.rows]
    title = escape(visible(f"{name}: {plan.agent}"))
    data = {"columns": COLUMNS, "rows": packed.rows, "tasks": packed.tasks, "levels": LEVELS, "unseen": UNSEEN}
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang=en><head><meta charset=utf-8><meta http-equiv=Content-Security-Policy content="{policy}">',
            "<meta name=viewport content='width=device-width, initial-scale=1'>",
            f"<title>{title}</title>",
            f"<style>{style}</style></head><body>",
            f"<header><h1>{title}</h1><p>{escape(visible(_about(plan, len(rows), tally, damaged)))}</p>",
            _KEYS,
            "</header>",
            "<noscript><p>Episodes are shown by a script in this page; allow it, or use <code>envscaler runs show</code>.</p></noscript>",
            "<main><section id=list aria-label=Episodes>",
            f"<details id=figures open><summary>Figures</summary>{''.join(_figures(rows))}</details>",
            *_controls(),
            "</section><article id=episode tabindex=-1 aria-label=Episode hidden></article></main>",
            f"<script type=application/json id=rows>{plain_json(data)}</script>",
            *(
                f"<script type=text/plain id=packet-{number}>{packet}</script>"
                for number, packet in enumerate(packed.packets)
            ),
            f"<script>{script}</script>",
            "</body></html>\n",
        ]
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _about(plan: RunPlan, shown: int, tally: Tally, damaged: int) -> str:
    user = f" with the user {plan.user}" if plan.user else ""
    many, recorded = len(plan.episodes), len(tally.attempts)
    extent = f"all {counted(many, 'episode')}" if shown == many else f"{shown:,} of {counted(many, 'episode')}"
    about = f"{plan.agent} by way of {plan.via}, mode {plan.mode}{user}, scoring {plan.scoring}; {extent}."
    if shown < recorded:
        about += f" {recorded - shown:,} more {are(recorded - shown)} recorded and left out here."
    if missing := many - len(tally.done):
        about += f" The run is not finished: {counted(missing, 'episode')} {are(missing)} missing."
    if damaged:
        about += f" {counted(damaged, 'stretch', 'stretches')} of its journal {are(damaged)} damaged; what they held is not here."
    return about


def _figures(rows: Sequence[Mapping[str, Any]]) -> Iterable[str]:
    # What something else spoilt says nothing about the agent.
    judged = [row for row in rows if row["owner"] in ("", "agent")]
    masked = len(rows) - len(judged)
    if masked:
        yield f"<p>The figures are of {counted(len(judged), 'episode')}; {masked:,} {are(masked)} masked: the agent could not help it.</p>"
    yield "<div class=charts>"
    yield histogram("reward (%)", [round(100 * row["reward"]) for row in judged], step=10)
    yield histogram("steps", [row["steps"] for row in judged], step=2)
    yield "</div>"
    owners = sorted({row["owner"] for row in rows if row["owner"]})
    if owners:
        counts = [(visible(owner), str(sum(row["owner"] == owner for row in rows))) for owner in owners]
        yield f"<h2>Whose failure</h2>{table(('failure of', 'episodes'), counts)}"
    heads = ("episodes", "solved", "pass rate", "reward")
    levels = [level for level in (*LEVELS, "") if any(row["level"] == level for row in judged)]
    yield f"<h2>Pass rate by level</h2>{table(('level', *heads), _rates(judged, 'level', levels))}"
    names = sorted({row["environment"] for row in judged})
    rates = table(("environment", *heads), _rates(judged, "environment", names))
    yield f"<details><summary>Pass rate by environment ({len(names)})</summary><div class=wide>{rates}</div></details>"


def _rates(rows: Sequence[Mapping[str, Any]], field: str, names: Iterable[str]) -> Iterable[Sequence[str]]:
    for name in names:
        these = [row for row in rows if row[field] == name]
        solved = sum(row["solved"] for row in these)
        rate = f"{100 * solved / len(these):.0f} %"
        yield visible(name) or "unknown", str(len(these)), str(solved), rate, f"{mean(r['reward'] for r in these):.3f}"


def _controls() -> Iterable[str]:
    yield "<form id=filters role=search>"
    yield "<label>Search<input id=search type=search placeholder='id, task, tool, reason' autocomplete=off></label>"
    for name in _FILTERS:
        head = _HEADS.get(name, name)
        yield f"<label>{head.capitalize()}<select id=filter-{name}><option value=''>all</option></select></label>"
    yield "</form><p id=count role=status></p>"
    yield "<div class=wide><table id=episodes><thead><tr>"
    for name, head in _HEADS.items():
        yield f"<th scope=col class=c-{name} aria-sort=none><button type=button data-sort={name}>{head}</button></th>"
    yield "</tr></thead><tbody></tbody></table></div><button type=button id=more hidden>Show more</button>"
