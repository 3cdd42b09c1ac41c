"""A page without scripts or links to elsewhere that shows what a farm holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from envscaler_mcp.census.figures import PAPER, Figures
from envscaler_mcp.census.signal import Signal
from envscaler_mcp.census.similarity import LOOKED_AT, REFUSED, Similarities

_WIDTH, _HEIGHT, _MARGIN = 420, 160, 26
_MAP_WIDTH, _MAP_HEIGHT = 1180, 760
_STYLE = """
:root { color-scheme: light dark; --ink: #1b2430; --dim: #5d6b7a; --line: #d8dee6; --ground: #fbfcfd; --bar: #3b7dd8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7ecf2; --dim: #9aa7b5; --line: #34404d; --ground: #12181f; --bar: #6aa5f2; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 1220px;
  margin: 0 auto; padding: 24px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 36px 0 10px; } p { color: var(--dim); margin: 0; }
table { border-collapse: collapse; } th, td { text-align: right; padding: 3px 14px 3px 0; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; } th { color: var(--dim); font-weight: 500; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(360px, 1fr)); gap: 18px; }
figure { margin: 0; } figcaption { color: var(--dim); } svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--dim); font: 11px system-ui, sans-serif; } svg .bar { fill: var(--bar); } svg .axis { stroke: var(--line); }
svg .mark { stroke: #d2572b; stroke-dasharray: 4 3; } .map circle { opacity: .85; } .map text { font-size: 9px; }
.key span { display: inline-block; margin: 0 14px 4px 0; white-space: nowrap; } .key i { display: inline-block; width: 10px; height: 10px;
  border-radius: 5px; margin-right: 5px; }
"""


def page(
    figures: Figures, alike: Similarities, places: Mapping[str, tuple[float, float]], signal: Signal | None = None
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
        _table(
            ("", "here", "paper"),
            [(name, _number(value), _number(PAPER.get(name))) for name, value in figures.table.items()],
        ),
        "<h2>How they are spread</h2><div class=charts>",
        *_histograms(figures, alike, signal),
        "</div><h2>Topics</h2><p>Environments whose words are alike lie near each other.</p>",
        _map(figures, places),
        "<h2>Most alike in structure</h2>",
        f"<p>Names forgotten; {REFUSED:.2f} and above is refused, {LOOKED_AT:.2f} and above wants a look.</p>",
        _table(
            ("pair", "similarity"),
            [(f"{pair.one} and {pair.other}", f"{pair.similarity:.3f}") for pair in alike.pairs[:12]],
        ),
    ]
    if signal is not None:
        parts += ["<h2>Signal</h2>", _table(("", ""), [(name, _number(value)) for name, value in signal.table.items()])]
    return "\n".join([*parts, "</body></html>\n"])


def _histograms(figures: Figures, alike: Similarities, signal: Signal | None) -> Iterable[str]:
    each = figures.environments
    yield _histogram("query tools", [one.query_tools for one in each], PAPER["query tools"])
    yield _histogram("change tools", [one.change_tools for one in each], PAPER["change tools"])
    yield _histogram("attributes", [one.attributes for one in each], PAPER["attributes"], step=4)
    yield _histogram("enforced rules", [one.rules for one in each])
    yield _histogram("scenarios", [sum(one.scenarios.values()) for one in each], PAPER["scenarios each"], step=5)
    yield _histogram(
        "similarity of the nearest neighbour (%)", [round(100 * p.similarity) for p in alike.nearest.values()], step=2
    )
    if signal is not None:
        yield _histogram("calls of the oracle", [one.calls for one in signal.scenarios], step=2)


def _histogram(title: str, numbers: Sequence[int], mark: float | None = None, step: int = 1) -> str:
    if not numbers:
        return ""
    counts = Counter(number // step for number in numbers)
    low, high = min(counts), max([*counts, int(mark // step) if mark is not None else 0])
    wide = (_WIDTH - 2 * _MARGIN) / (high - low + 1)
    tall = (_HEIGHT - 2 * _MARGIN) / max(counts.values())
    bars = [
        f"<rect class=bar x={_MARGIN + (place - low) * wide + 1:.1f} y={_HEIGHT - _MARGIN - times * tall:.1f} "
        f"width={max(wide - 2, 1):.1f} height={times * tall:.1f}><title>{_bin(place, step)}: {times}</title></rect>"
        for place, times in sorted(counts.items())
    ]
    every = max(1, round((high - low + 1) / 10))
    ticks = [
        f"<text x={_MARGIN + (place - low + 0.5) * wide:.1f} y={_HEIGHT - 10} text-anchor=middle>{place * step}</text>"
        for place in range(low, high + 1, every)
    ]
    line = ""
    if mark is not None:
        x = _MARGIN + (mark / step - low) * wide + wide / 2
        line = f"<line class=mark x1={x:.1f} x2={x:.1f} y1={_MARGIN - 10} y2={_HEIGHT - _MARGIN} />"
    return (
        f"<figure><figcaption>{escape(title)} <b>{sum(numbers) / len(numbers):.2f}</b> on average</figcaption>"
        f"<svg viewBox='0 0 {_WIDTH} {_HEIGHT}' role=img aria-label='{escape(title)}'>{''.join(bars)}"
        f"<line class=axis x1={_MARGIN} x2={_WIDTH - _MARGIN} y1={_HEIGHT - _MARGIN} y2={_HEIGHT - _MARGIN} />"
        f"{''.join(ticks)}{line}</svg></figure>"
    )


def _bin(place: int, step: int) -> str:
    return f"{place * step}" if step == 1 else f"{place * step} to {place * step + step - 1}"


def _map(figures: Figures, places: Mapping[str, tuple[float, float]]) -> str:
    hues = {sector: number * 360 // max(len(figures.sectors), 1) for number, sector in enumerate(figures.sectors)}
    dots = []
    for one in figures.environments:
        x, y = places[one.id]
        left, top = 12 + x * (_MAP_WIDTH - 140), 14 + y * (_MAP_HEIGHT - 28)
        name = escape(one.id.replace("_", " "))
        dots.append(
            f"<circle cx={left:.1f} cy={top:.1f} r=5 fill='hsl({hues[one.sector]} 60% 50%)'><title>{name} "
            f"({escape(one.sector)})</title></circle><text x={left + 7:.1f} y={top + 3:.1f}>{name}</text>"
        )
    key = "".join(
        f"<span><i style='background: hsl({hue} 60% 50%)'></i>{escape(sector.replace('_', ' '))} {figures.sectors[sector]}</span>"
        for sector, hue in hues.items()
    )
    return (
        f"<svg class=map viewBox='0 0 {_MAP_WIDTH} {_MAP_HEIGHT}' role=img>{''.join(dots)}</svg><p class=key>{key}</p>"
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{top}</tr>{body}</table>"


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3f}" if abs(value) < 1 else f"{value:,.2f}"
