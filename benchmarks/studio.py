"""The studio in a real browser: how soon something is seen, and how soon a call's effect is.

Nothing is measured where there is no Chromium.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from benchmarks.figures import Benchmark, Budget, Figure, Peer, Scale
from tests.viewer.chromium import PROGRAM, Browser, browser

ROOT = Path(__file__).parents[1]
FIRST_PAINT = Budget("at most", 300)
EFFECT = Budget("at most", 100)
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_ENVIRONMENT = "hospital_stays"
# The clock of the page itself, so that what this program and the browser say to each other is no part of it.
_SHOWN = """new Promise(seen => {
    const began = performance.now(), steps = document.querySelectorAll('.steps .step').length;
    const look = () => document.querySelectorAll('.steps .step').length > steps && document.querySelector('.tables .lit')
        ? seen(performance.now() - began) : requestAnimationFrame(look);
    document.querySelector('.form .primary').click();
    look();
})"""

_TWO_FRAMES = """new Promise(seen => {
    const began = performance.now();
    requestAnimationFrame(() => requestAnimationFrame(() => seen(performance.now() - began)));
})"""
_WATCH = """window.cardsAt = 0; (() => {
    const look = () => document.querySelectorAll('.card').length >= 210
        ? (window.cardsAt = performance.now()) : requestAnimationFrame(look);
    look();
})()"""


def measure(scale: Scale) -> list[Figure]:
    """Loads of the gallery without a cache, then calls that change two records of a world in the playground."""
    if PROGRAM is None:
        return []
    with (
        tempfile.TemporaryDirectory(prefix="envscaler-", ignore_cleanup_errors=True) as folder,
        _studio(Path(folder)) as address,
        browser(Path(folder) / "profile") as tab,
    ):
        rounds = max(3, scale.rounds)
        tab.ask("Network.setCacheDisabled", cacheDisabled=True)
        empty = Peer("an empty page", median(_empty_page(tab) for _ in range(rounds)))
        tab.ask("Page.addScriptToEvaluateOnNewDocument", source=_WATCH)
        tab.ask("Page.navigate", url=address)
        first_visit = _seen(tab)
        loads = [_load(tab) for _ in range(rounds)]
        effects, frames = _effects(tab, max(3, min(20, scale.calls)))
    note = "with the login by the code of the command"
    return [
        Figure("gallery, first paint", median(first for first, _ in loads), "ms", empty, FIRST_PAINT),
        Figure("gallery, first paint of the first visit", first_visit[0], "ms", empty, note=note),
        Figure("gallery, all cards there", median(cards for _, cards in loads), "ms", empty),
        Figure("call, its effect is seen", effects, "ms", Peer("two frames of the browser", frames), EFFECT),
    ]


def _empty_page(tab: Browser) -> float:
    """Milliseconds until a page with one word is painted."""
    tab.ask("Page.navigate", url="data:text/html,<p>word</p>")
    return float(tab.until(PAINTED))


def _load(tab: Browser) -> tuple[float, float]:
    tab.ask("Page.reload", ignoreCache=True)
    return _seen(tab)


def _seen(tab: Browser) -> tuple[float, float]:
    """Milliseconds until something is painted, and until all cards are there."""
    tab.until("window.cardsAt")
    return tab.until(PAINTED), tab.do("window.cardsAt")


def _effects(tab: Browser, calls: int) -> tuple[float, float]:
    """Milliseconds from the click on Call until the records that it changed are lit, and of two frames; each call is undone."""
    tab.do(f"location.hash = '#/environment/{_ENVIRONMENT}'")
    _press(tab, "Open a fresh world")
    tab.until("document.querySelector('table.records')")
    _press(tab, "Playground")
    tab.until("document.querySelector('[data-tool=block_bed]')")
    seen, frames = [], []
    for _ in range(calls):
        tab.click("[data-tool=block_bed]")
        tab.until("document.querySelector('.form [name=bed_id]')")
        for name, value in (("bed_id", "BED-00005"), ("reason", "broken rail")):
            tab.do(f"document.querySelector('.form [name={name}]').value = {json.dumps(value)}")
        seen.append(float(tab.do(_SHOWN)))
        frames.append(float(tab.do(_TWO_FRAMES)))
        tab.click("[aria-label='Undo call 1']")
        tab.until("document.querySelectorAll('.steps .step').length === 0 && !document.querySelector('.tables .lit')")
    return median(seen), median(frames)


def _press(tab: Browser, text: str) -> None:
    chosen = f"[...document.querySelectorAll('button, a')].find(b => b.textContent.trim() === {json.dumps(text)})"
    tab.until(chosen)
    tab.do(f"{chosen}.click()")


@contextmanager
def _studio(folder: Path) -> Iterator[str]:
    """`envscaler studio` as a process of its own: the address that it would open a browser with."""
    command = [sys.executable, "-m", "envscaler_mcp", "--home", str(ROOT), "studio", "--no-browser", "--json"]
    environment = {**os.environ, "XDG_STATE_HOME": str(folder)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stdout is not None
        yield str(json.loads(process.stdout.readline())["address"])
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)


BENCHMARK = Benchmark("studio", "the studio in a real Chromium", measure)
