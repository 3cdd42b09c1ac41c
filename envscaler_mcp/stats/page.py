"""A page without scripts or links to elsewhere that shows what a farm holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

from envscaler_mcp.html.parts import STYLE, histogram, number, table
from envscaler_mcp.stats.figures import PAPER, HomeFigures
from envscaler_mcp.stats.statistic import Measured, MeasuredTable

_MAP_WIDTH, _MAP_HEIGHT = 1180, 760
_STYLE = f"""{STYLE}
.map circle {{ opacity: .85; }} .map text {{ font-size: 9px; }}
.key span {{ display: inline-block; margin: 0 14px 4px 0; white-space: nowrap; }}
.key i {{ display: inline-block; width: 10px; height: 10px; border-radius: 5px; margin-right: 5px; }}
"""


def stats_page(
    figures: HomeFigures, places: Mapping[str, tuple[float, float]], measured: Mapping[str, Measured]
) -> str:
    """The whole page as HTML."""
    many = len(figures.environments)
    parts = [
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>What this farm holds</title>",
        "<meta name=viewport content='width=device-width, initial-scale=1'>",
        f"<style>{_STYLE}</style></head><body>",
        f"<h1>{many} environments, {figures.scenarios:,} scenarios</h1>",
        f"<p>{len(figures.sectors)} sectors. A dashed line marks what the paper reports.</p>",
        "<h2>Beside the paper</h2>",
        table(
            ("", "here", "paper"),
            [(name, number(value), number(PAPER.get(name))) for name, value in figures.table.items()],
        ),
        "<h2>How they are spread</h2><div class=charts>",
        *_histograms(figures),
        *(histogram(chart.title, chart.values, step=chart.step) for each in measured.values() for chart in each.charts),
        "</div><h2>Topics</h2><p>Environments whose words are alike lie near each other.</p>",
        _map(figures, places),
    ]
    for name, each in measured.items():
        parts.append(f"<h2>{escape(name.capitalize())}</h2>")
        parts += [_table(shown) for shown in each.tables]
        parts += [f"<p>{escape(remark)}</p>" for remark in each.remarks]
    return "\n".join([*parts, "</body></html>\n"])


def _table(shown: MeasuredTable) -> str:
    rows = [[cell if isinstance(cell, str) else number(cell) for cell in row] for row in shown.rows]
    return (f"<p>{escape(shown.caption)}</p>" if shown.caption else "") + table(shown.head, rows)


def _histograms(figures: HomeFigures) -> Iterable[str]:
    each = figures.environments
    yield histogram("query tools", [environment.query_tools for environment in each], PAPER["query tools"])
    yield histogram("change tools", [environment.change_tools for environment in each], PAPER["change tools"])
    yield histogram("attributes", [environment.attributes for environment in each], PAPER["attributes"], step=4)
    yield histogram("enforced rules", [environment.rules for environment in each])
    yield histogram(
        "scenarios", [sum(environment.scenarios.values()) for environment in each], PAPER["scenarios each"], step=5
    )


def _map(figures: HomeFigures, places: Mapping[str, tuple[float, float]]) -> str:
    hues = {sector: number * 360 // max(len(figures.sectors), 1) for number, sector in enumerate(figures.sectors)}
    dots = []
    for environment in figures.environments:
        x, y = places[environment.id]
        left, top = 12 + x * (_MAP_WIDTH - 140), 14 + y * (_MAP_HEIGHT - 28)
        name = escape(environment.id.replace("_", " "))
        dots.append(
            f"<circle cx={left:.1f} cy={top:.1f} r=5 fill='hsl({hues[environment.sector]} 60% 50%)'><title>{name} "
            f"({escape(environment.sector)})</title></circle><text x={left + 7:.1f} y={top + 3:.1f}>{name}</text>"
        )
    key = "".join(
        f"<span><i style='background: hsl({hue} 60% 50%)'></i>{escape(sector.replace('_', ' '))} {figures.sectors[sector]}</span>"
        for sector, hue in hues.items()
    )
    return (
        f"<svg class=map viewBox='0 0 {_MAP_WIDTH} {_MAP_HEIGHT}' role=img>{''.join(dots)}</svg><p class=key>{key}</p>"
    )
