"""Curves as a picture of its own, which a page or a Markdown file can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from envscaler_mcp.html.parts import number

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 320, 56, 16, 34, 44
_COLOURS = ("#3b7dd8", "#d2572b", "#2f9e63", "#8a5cc7", "#b8860b", "#c2417c", "#4a8a99", "#7a6a58")
_STYLE = (
    "text{fill:#5d6b7a;font:12px system-ui,sans-serif}.title{font-weight:600}.axis{stroke:#b9c3ce}"
    ".grid{stroke:#b9c3ce;stroke-opacity:.35}path{fill:none;stroke-width:2}"
)


@dataclass(frozen=True, slots=True)
class Curve:
    """Points from left to right, and what they are of."""

    name: str
    points: Sequence[tuple[float, float]]


def curves(title: str, across: str, up: str, lines: Sequence[Curve], *, joined: bool = True) -> str:
    """An SVG of all of them, from 0 upwards; nothing where there are no points."""
    lines = [line for line in lines if line.points]
    if not lines:
        return ""
    right = max(x for line in lines for x, _ in line.points) or 1.0
    top = max(1.0, *(y for line in lines for _, y in line.points))

    def place(x: float, y: float) -> tuple[float, float]:
        return (
            _LEFT + x / right * (_WIDTH - _LEFT - _RIGHT),
            _HEIGHT - _BOTTOM - y / top * (_HEIGHT - _TOP - _BOTTOM),
        )

    parts = [f"<text class='title' x='{_LEFT}' y='18'>{escape(title)}</text>", *_axes(across, up, right, top)]
    for turn, line in enumerate(lines):
        colour = _COLOURS[turn % len(_COLOURS)]
        points = [place(x, y) for x, y in line.points]
        if joined and len(points) > 1:
            way = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            parts.append(f"<path d='M{way}' stroke='{colour}'><title>{escape(line.name)}</title></path>")
        else:
            parts += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='4' fill='{colour}'/>" for x, y in points]
        if line.name:
            y = _HEIGHT - _BOTTOM - 8 - 15 * (len(lines) - 1 - turn)
            parts.append(
                f"<text x='{_WIDTH - _RIGHT - 8}' y='{y}' text-anchor='end' style='fill:{colour}'>{escape(line.name)}</text>"
            )
    values = "; ".join(f"{line.name} {number(line.points[-1][1])}" for line in lines)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {_HEIGHT}' role='img' "
        f"aria-label='{escape(f'{title}; at the end: {values}')}'><style>{_STYLE}</style>{''.join(parts)}</svg>\n"
    )


def _axes(across: str, up: str, right: float, top: float) -> list[str]:
    bottom, end = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    parts = [f"<line class='axis' x1='{_LEFT}' x2='{end}' y1='{bottom}' y2='{bottom}'/>"]
    for part in range(6):
        x, y = _LEFT + part / 5 * (end - _LEFT), bottom - part / 5 * (bottom - _TOP)
        parts += [
            f"<line class='grid' x1='{_LEFT}' x2='{end}' y1='{y:.1f}' y2='{y:.1f}'/>",
            f"<text x='{_LEFT - 8}' y='{y + 4:.1f}' text-anchor='end'>{top * part / 5:.3g}</text>",
            f"<text x='{x:.1f}' y='{bottom + 16}' text-anchor='middle'>{right * part / 5:.3g}</text>",
        ]
    parts.append(f"<text x='{end}' y='{_HEIGHT - 8}' text-anchor='end'>{escape(across)}</text>")
    return [*parts, f"<text x='8' y='{_TOP - 4}'>{escape(up)}</text>"]
