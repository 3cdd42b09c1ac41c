"""The house's colours, tables and charts; what is told is text and never markup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape

_WIDTH, _HEIGHT, _MARGIN = 420, 160, 26
STYLE = """
:root { color-scheme: light dark; --ink: #1b2430; --dim: #5d6b7a; --line: #d8dee6; --ground: #fbfcfd; --bar: #3b7dd8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e7ecf2; --dim: #9aa7b5; --line: #34404d; --ground: #12181f; --bar: #6aa5f2; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); max-width: 1220px;
  margin: 0 auto; padding: 24px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 18px; margin: 36px 0 10px; } p { color: var(--dim); margin: 0; }
table { border-collapse: collapse; } th, td { text-align: right; padding: 3px 14px 3px 0; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; } th { color: var(--dim); font-weight: 500; }
th[scope=row] { color: inherit; font-weight: inherit; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(360px, 1fr)); gap: 18px; }
figure { margin: 0; } figcaption { color: var(--dim); } svg { width: 100%; height: auto; display: block; }
svg text { fill: var(--dim); font: 11px system-ui, sans-serif; } svg .bar { fill: var(--bar); } svg .axis { stroke: var(--line); }
svg .mark { stroke: #d2572b; stroke-dasharray: 4 3; }
"""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Columns under their heads; the first cell of a row is what the others are about."""
    top = "".join(f"<th scope=col>{escape(cell)}</th>" if cell else "<td></td>" for cell in head)
    body = "".join(
        f"<tr><th scope=row>{escape(first)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in more)}</tr>"
        for first, *more in rows
    )
    return f"<table><tr>{top}</tr>{body}</table>"


def histogram(title: str, numbers: Sequence[int], mark: float | None = None, step: int = 1) -> str:
    """How often each number occurs, with a dashed line at the mark."""
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
    counted = ", ".join(f"{_bin(place, step)}: {times}" for place, times in sorted(counts.items()))
    label = escape(f"{title}; {counted}")
    return (
        f"<figure><figcaption>{escape(title)} <b>{sum(numbers) / len(numbers):.2f}</b> on average</figcaption>"
        f"<svg viewBox='0 0 {_WIDTH} {_HEIGHT}' role=img aria-label='{label}'>{''.join(bars)}"
        f"<line class=axis x1={_MARGIN} x2={_WIDTH - _MARGIN} y1={_HEIGHT - _MARGIN} y2={_HEIGHT - _MARGIN} />"
        f"{''.join(ticks)}{line}</svg></figure>"
    )


def _bin(place: int, step: int) -> str:
    return f"{place * step}" if step == 1 else f"{place * step} to {place * step + step - 1}"


def number(value: float | None) -> str:
    """As a person reads it; nothing where it is not known."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3f}" if abs(value) < 1 else f"{value:,.2f}"
