"""Print a page of the documentation, or list the pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from envscaler_mcp.cli.printing import print_table, say

app = typer.Typer(add_completion=False)
# The wheel carries the pages here (tools/build_hook.py); a checkout has them in docs/.
_INSTALLED = Path(__file__).parents[1] / "documentation"
_CHECKOUT = Path(__file__).parents[2] / "docs"


@app.command()
def print_page(
    page: Annotated[
        str, typer.Argument(metavar="PAGE", help="The page, such as farm or for-ml-engineers. Default: list the pages.")
    ] = "",
) -> None:
    pages = {file.stem: file for file in sorted((_INSTALLED if _INSTALLED.is_dir() else _CHECKOUT).glob("*.md"))}
    if not page:
        print_table(("page", "title"), [(name, _title(file)) for name, file in pages.items()])
        return
    name = Path(page).name.removesuffix(".md")
    if name not in pages:
        from envscaler_mcp.serving.suggestion import did_you_mean

        raise typer.BadParameter(f"there is no page {page!r}{did_you_mean(name, pages)}", param_hint="PAGE")
    say(pages[name].read_text(encoding="utf-8").rstrip())


def _title(file: Path) -> str:
    lines = file.read_text(encoding="utf-8").splitlines()
    return next((line.removeprefix("# ") for line in lines if line.startswith("# ")), "")
