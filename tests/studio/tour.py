"""The animated tour of the studio, taken in a real browser as a person would go through it: `make pictures`."""

from __future__ import annotations

import base64
import io
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image, ImageDraw

from tests.farm.farms import ROOT
from tests.studio.test_in_browser import go, studio_program
from tests.viewer.chromium import Browser, browser

FILE = ROOT / "docs" / "pictures" / "tour.webp"
LARGEST = 2_500_000
WIDTH, HEIGHT, SCALE = 1280, 920, 0.8
_STILL = 1_300
"""Milliseconds until nothing moves any more."""
_POINTER, _RING = (27, 36, 48), (255, 255, 255)
_TICK = 90
"""Milliseconds that a letter is shown, or a click."""


class Tour:
    """The pictures so far, and how long each is shown."""

    def __init__(self, tab: Browser) -> None:
        self.tab = tab
        self.pictures: list[Image.Image] = []
        self.durations: list[int] = []

    def show(self, milliseconds: int, *, still: bool = True, pointer: tuple[float, float] | None = None) -> None:
        """What is seen now."""
        if still:
            self.tab.do(f"new Promise(done => setTimeout(done, {_STILL}))")
        answer = self.tab.ask("Page.captureScreenshot", format="png", captureBeyondViewport=False)
        picture = Image.open(io.BytesIO(base64.b64decode(answer["data"]))).convert("RGB")
        if pointer is not None:
            _draw_pointer(picture, pointer)
        self.pictures.append(picture)
        self.durations.append(milliseconds)

    def press(self, selector: str, *, text: str = "") -> None:
        """A click that is seen: where it is, before what it does."""
        chosen = (
            f"[...document.querySelectorAll({json.dumps(selector)})].find(e => e.textContent.trim() === {json.dumps(text)})"
            if text
            else f"document.querySelector({json.dumps(selector)})"
        )
        self.tab.until(chosen)
        at = self.tab.do(
            f"(() => {{ const e = {chosen}; e.scrollIntoView({{block: 'nearest'}}); const b = e.getClientRects()[0]; "
            "return [b.x + Math.min(b.width, 160) / 2, b.y + b.height / 2]; })()"
        )
        self.show(4 * _TICK, still=False, pointer=at)
        for kind in ("mousePressed", "mouseReleased"):
            self.tab.ask("Input.dispatchMouseEvent", type=kind, x=at[0], y=at[1], button="left", clickCount=1)
        self.tab.ask("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=HEIGHT - 1)

    def write(self, text: str) -> None:
        """Letters, as a person types them."""
        for start in range(0, len(text), 3):
            self.tab.write(text[start : start + 3])
            self.show(_TICK, still=False)

    def save(self, file: Path) -> None:
        """All of them as one file that plays again and again."""
        first, *others = self.pictures
        first.save(
            file,
            save_all=True,
            append_images=others,
            duration=self.durations,
            loop=0,
            lossless=True,
            quality=90,
            method=6,
            minimize_size=True,
        )


def _draw_pointer(picture: Image.Image, at: tuple[float, float]) -> None:
    x, y = (SCALE * place for place in at)
    layer = Image.new("RGBA", picture.size)
    drawn = ImageDraw.Draw(layer)
    drawn.ellipse((x - 16, y - 16, x + 16, y + 16), fill=(*_POINTER, 50), outline=(*_RING, 240), width=4)
    drawn.ellipse((x - 14, y - 14, x + 14, y + 14), outline=(*_POINTER, 230), width=2)
    picture.paste(layer, mask=layer)


def take_tour(tab: Browser, file: Path = FILE) -> Tour:
    """From the gallery to a task that is solved."""
    tab.ask("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=SCALE, mobile=False)
    tab.ask("Emulation.setScrollbarsHidden", hidden=True)
    tour = Tour(tab)
    find_a_world(tour)
    call_its_tools(tour)
    watch_a_task(tour)
    tour.save(file)
    return tour


def find_a_world(tour: Tour) -> None:
    """The gallery, a search, a fresh world."""
    tab = tour.tab
    tour.show(1_400)
    tour.press("#search")
    tour.write("hospital bed")
    tab.until("document.querySelectorAll('.card').length === 1")
    tour.show(900)
    tour.press(".card a")
    tab.until("document.querySelector('li.task')")
    tour.show(1_200)
    tour.press("button", text="Open a fresh world")
    tab.until("document.querySelector('table.records')")
    tour.press("[data-table=beds]")
    tour.show(1_600)


def call_its_tools(tour: Tour) -> None:
    """Three calls: one reads, one changes, one is refused with its rule."""
    tab = tour.tab
    tour.press("nav a", text="Playground")
    tab.until("document.querySelector('.form')")
    tour.press("[data-tool=ward_round]")
    tab.do("document.querySelector('.form [name=ward_id]').value = 'WARD-00002'")
    tour.press(".form .primary")
    tab.until("document.querySelectorAll('.steps .step').length === 1")
    tour.show(1_800)
    for count, reason in ((2, "broken rail"), (3, "again")):
        if count == 2:
            tour.press("[data-tool=block_bed]")
            tab.do("document.querySelector('.form [name=bed_id]').value = 'BED-00005'")
            tour.show(300, still=False)
        tab.do("(() => { const f = document.querySelector('.form [name=reason]'); f.value = ''; f.focus(); })()")
        tour.write(reason)
        tour.press(".form .primary")
        tab.until(f"document.querySelectorAll('.steps .step').length === {count}")
        tour.show(2_400 if count == 2 else 3_200)


def watch_a_task(tour: Tour) -> None:
    """The oracle solves a task, a step at a time."""
    tab = tour.tab
    tour.press("#crumbs a")
    tab.until("document.querySelector('li.task')")
    tour.press("li.task button", text="Play it yourself")
    tab.until("document.querySelector('.lamp')")
    go(tab, tab.do("location.hash").replace("/task", "/live"))
    tab.until("document.querySelector('.live .lamp')")
    tour.show(2_400)
    calls = tab.do("document.querySelectorAll('.steps .step').length")
    while not tab.do("document.querySelector('.verdict.solved') !== null"):
        tour.press("[data-does=step]")
        calls += 1
        tab.until(f"document.querySelectorAll('.steps .step').length === {calls}")
        tour.show(1_500)
    tour.durations[-1] = 3_600


@contextmanager
def visitor_of_a_studio() -> Iterator[Browser]:
    """A tab at the gallery."""
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        studio_program(Path(folder), ROOT) as address,
        browser(Path(profile)) as tab,
    ):
        tab.ask("Page.navigate", url=address)
        tab.until("document.querySelector('.card')")
        yield tab


def main() -> None:
    """Take it anew."""
    with visitor_of_a_studio() as tab:
        take_tour(tab)


if __name__ == "__main__":
    main()
