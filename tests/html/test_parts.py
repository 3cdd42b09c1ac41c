"""Tables and charts tell the same to those who cannot see them."""

from __future__ import annotations

from envscaler_mcp.html.parts import histogram, table


def test_every_cell_has_a_head_for_its_column_and_its_row() -> None:
    assert table(("", "<here>"), [("<tools>", "3")]) == (
        "<table><tr><td></td><th scope=col>&lt;here&gt;</th></tr>"
        "<tr><th scope=row>&lt;tools&gt;</th><td>3</td></tr></table>"
    )


def test_a_chart_says_what_its_bars_show() -> None:
    assert "aria-label='st&lt;eps; 0 to 1: 1, 4 to 5: 2'" in histogram("st<eps", [1, 4, 5], step=2)
