"""Pictures of the studio for the README and the docs, and its tour, taken in a real browser: `make pictures`."""

from __future__ import annotations

import base64
import tempfile
from pathlib import Path

from tests.farm.farms import ROOT
from tests.studio.runs import record_runs
from tests.studio.test_in_browser import enter, hurry, open_task, press_button, studio_program
from tests.studio.tour import take_tour, visitor_of_a_studio
from tests.viewer.chromium import Browser, browser

PICTURES = ROOT / "docs" / "pictures"
WIDTH, HEIGHT = 1280, 860


def main() -> None:
    """Take all of them anew."""
    PICTURES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        studio_program(Path(folder), ROOT, "--runs", str(record_runs(Path(folder) / "runs"))) as address,
        browser(Path(profile)) as tab,
    ):
        enter(tab, address)
        tab.ask("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
        tab.ask("Emulation.setScrollbarsHidden", hidden=True)
        take(tab, "gallery")
        open_task(tab, "Watch it being solved")
        hurry(tab)
        tab.until("document.querySelector('.verdict.solved')")
        take(tab, "live")
        press_button(tab, "World")
        tab.click("[data-table=stays]")
        tab.until("document.querySelector('table.records th[scope=row] .ref')")
        take(tab, "world")
        tab.do("location.hash = '#/run/half'")
        tab.until("document.querySelector('tr[data-episode] .failed')")
        tab.do("document.querySelector('tr[data-episode]:has(.failed) a').click()")
        tab.until("document.querySelector('.aside .lit, .aside .fresh')")
        take(tab, "episode")
    with visitor_of_a_studio() as tab:
        take_tour(tab)


def take(tab: Browser, name: str) -> None:
    """One picture of what is shown now, once nothing moves any more."""
    tab.do("new Promise(done => setTimeout(done, 2000))")
    tab.do("scrollTo(0, 0)")
    picture = tab.ask("Page.captureScreenshot", format="png", captureBeyondViewport=False)["data"]
    (PICTURES / f"{name}.png").write_bytes(base64.b64decode(picture))


if __name__ == "__main__":
    main()
