"""A world of one sentence: a model behind an endpoint writes it, its author sees how and at which cost, and publishes it."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from envscaler_mcp.registry import read_registry
from tests.llm.endpoint import Fail, Hang, Say, Script, ScriptedEndpoint, one_after_the_other, scripted_endpoint
from tests.llm.speaking import speaking
from tests.recordings import costume_store
from tests.recordings.blueprint_author import blueprint_author
from tests.studio.test_in_browser import go, press_button, studio_program, texts, wide
from tests.viewer.chromium import PROGRAM, Browser, browser

pytestmark = [pytest.mark.browser, pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium here")]

SENTENCE = "Book a fitting for Ms Okafor and reserve the green doublet for the part of Orsino"
PRICES = "recorded-model: {input: 2, output: 8}\n"


@contextmanager
def endpoint(script: Script) -> Iterator[ScriptedEndpoint]:
    """A server that answers from a script while this thread does something else."""
    ready, ended = threading.Event(), asyncio.Event()
    places: list[ScriptedEndpoint] = []
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with scripted_endpoint(script) as place:
            places.append(place)
            ready.set()
            await ended.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
    thread.start()
    try:
        assert ready.wait(20)
        yield places[0]
    finally:
        loop.call_soon_threadsafe(ended.set)
        thread.join(20)
        loop.close()


@contextmanager
def author(folder: Path, script: Script | None, *options: str) -> Iterator[tuple[Browser, ScriptedEndpoint | None]]:
    """A tab at the builder of a studio with an empty home, whose model answers from a script."""
    home = folder / "home"
    (home / "generated_servers").mkdir(parents=True)
    (home / "registry.json").write_text('{"entries": []}')
    own = folder / "config" / "envscaler"
    own.mkdir(parents=True)
    (own / "prices.yaml").write_text(PRICES)
    (own / "envscaler.toml").write_text('[model]\nprices = "prices.yaml"\n')
    with ExitStack() as stack:
        place = None if script is None else stack.enter_context(endpoint(script))
        model = () if place is None else ("--agent", "openai:recorded-model")
        variables = {"OPENAI_BASE_URL": "" if place is None else place.url, "OPENAI_API_KEY": "sk-test"}
        variables["XDG_CONFIG_HOME"] = str(folder / "config")
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(os, "environ", {**os.environ, **variables})
        address = stack.enter_context(studio_program(folder, home, *model, *options))
        profile = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        tab = stack.enter_context(browser(Path(profile)))
        wide(tab, 1280)
        tab.ask("Page.navigate", url=address)
        tab.until("document.querySelector('#rooms a')")
        press_button(tab, "Builder")
        tab.until("document.querySelector('#source')?.value.includes('entities:')")
        yield tab, place


def write(tab: Browser, sentence: str) -> None:
    tab.do("document.querySelector('#sentence').focus()")
    tab.write(sentence)
    tab.click("[data-does=write]")
    tab.until("document.querySelector('[data-stage=write]')")


def ended(tab: Browser) -> None:
    for _ in range(6):
        try:
            tab.until("document.querySelector('[data-does=stop][hidden]') && document.querySelector('.stage')")
        except AssertionError:
            continue
        return
    raise AssertionError("the writing does not end")


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_sentence_becomes_a_world_with_its_steps_questions_and_costs_and_is_published(tmp_path: Path) -> None:
    with author(tmp_path, speaking(blueprint_author(costume_store))) as (tab, place):
        assert place is not None
        write(tab, SENTENCE)
        # It goes on while another view is shown.
        go(tab, "#/")
        tab.until("document.querySelector('#search')")
        press_button(tab, "Builder")
        tab.until("document.querySelector('[data-stage=write] .wrote li')")
        ended(tab)
        steps = " ".join(texts(tab, ".wrote li"))
        for step in ("The line of work is named Costume store", "Its tools are tried", "Mended", "Admitted"):
            assert step in steps
        asked = len([one for one in place.requests if "messages" in one])
        total = texts(tab, ".questions summary")[0]
        assert total.startswith(f"{asked} questions, ")
        assert f"${asked * (1000 * 2 + 200 * 8) / 1e6:.2f}" in total
        assert all(SENTENCE in json.dumps(one["messages"]) for one in place.requests[:1])
        assert tab.do("document.querySelector('#source').value.includes('id: costume_store')")
        assert read_registry(tmp_path / "home" / "registry.json").entries == ()
        tab.click("[data-does=publish]")
        tab.until("location.hash === '#/environment/costume_store' && document.querySelector('li.task')")
        assert len(texts(tab, "li.task")) == 10
        assert tab.complaints == []


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_what_an_author_changes_while_a_model_writes_stays_until_they_ask_for_the_blueprint(tmp_path: Path) -> None:
    source = "document.querySelector('#source').value"
    with author(tmp_path, speaking(blueprint_author(costume_store))) as (tab, _):
        write(tab, SENTENCE)
        tab.do(f"void ({source} += '# mine')")
        ended(tab)
        assert tab.do(f"{source}.endsWith('# mine')")
        tab.click("[data-does=show]")
        assert tab.do(f"{source}.includes('id: costume_store')")
        assert texts(tab, "[data-does=show]") == []


def test_without_a_model_the_page_says_which_command_names_one(tmp_path: Path) -> None:
    with author(tmp_path, None) as (tab, _):
        said = texts(tab, ".sentence .hint")
        assert len(said) == 1
        assert "envscaler studio --agent openai:MODEL" in said[0]
        assert texts(tab, "[data-does=write]") == []


def test_why_no_world_comes_of_a_sentence_is_said_and_what_it_cost(tmp_path: Path) -> None:
    with author(tmp_path, speaking(blueprint_author(costume_store))) as (tab, _):
        write(tab, "How do I remove wine stains from velvet?")
        ended(tab)
        assert "does not need a system with records" in texts(tab, "[data-stage=write].bad .refusal")[0]
        assert texts(tab, ".questions summary")[0].startswith("1 question, ")
        assert "entities:" in tab.do("document.querySelector('#source').value")


def test_an_endpoint_that_refuses_is_said_and_the_page_can_ask_again(tmp_path: Path) -> None:
    with author(tmp_path, one_after_the_other(Fail(401, "this key is none"))) as (tab, _):
        write(tab, SENTENCE)
        ended(tab)
        assert "this key is none" in texts(tab, "[data-stage=write].bad .refusal")[0]
        assert not tab.do("document.querySelector('[data-does=write]').disabled")


def test_nothing_else_is_built_while_a_model_writes_and_it_can_be_stopped(tmp_path: Path) -> None:
    with author(tmp_path, lambda _: Hang()) as (tab, place):
        assert place is not None
        write(tab, SENTENCE)
        tab.until("document.querySelector('[data-does=build]').disabled")
        tab.do("void document.querySelector('[data-does=build]').removeAttribute('disabled')")
        tab.click("[data-does=build]")
        tab.until("document.querySelector('#notice.wrong')")
        assert "is writing a world" in texts(tab, "#notice")[0]
        tab.click("[data-does=stop]")
        ended(tab)
        assert not tab.do("document.querySelector('[data-does=write]').disabled")


def test_a_budget_that_is_spent_ends_the_writing(tmp_path: Path) -> None:
    with author(tmp_path, lambda _: Say("never"), "--budget", "0.02") as (tab, place):
        assert place is not None
        write(tab, SENTENCE)
        ended(tab)
        assert "of $0.01 is left" in texts(tab, "[data-stage=write].bad .refusal")[0]
        assert place.requests == []


def test_a_sentence_and_what_a_model_says_stay_text(tmp_path: Path) -> None:
    topic = {**costume_store.TOPIC, "title": "<img src=x onerror=document.title='owned'>"}
    said = one_after_the_other(
        Say('```json\n{"verdicts": [{"number": 1, "reason": "x", "stateful": true}]}\n```'),
        Say(f"```json\n{json.dumps(topic)}\n```"),
        Fail(400, "<script>document.title='owned'</script>"),
    )
    with author(tmp_path, said) as (tab, _):
        write(tab, "<b>Lend</b> the cloak")
        ended(tab)
        assert tab.do("document.querySelectorAll('main script, main img, main .stage b').length") == 0
        assert "owned" not in tab.do("document.title")
        for width in (1280, 400):
            wide(tab, width)
            assert tab.do("document.documentElement.scrollWidth") <= width
