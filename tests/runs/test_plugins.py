"""A provider of models and an engine of another package play a run as the built-in ones do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from envscaler_mcp.episode.providers import PROVIDERS, provider_of
from envscaler_mcp.runs.engines import ENGINES
from envscaler_mcp.scoring.run_folder import read_trajectories
from tests.plug_in import install
from tests.runs.home import write_home

ROOT = Path(__file__).parent.parent.parent
SOURCE = '''
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from envscaler_mcp.episode.calling import NativeCalls
from envscaler_mcp.episode.providers import ModelProvider
from envscaler_mcp.launch.channels import hosting
from envscaler_mcp.llm import ChatResponse, ToolCall, Usage
from envscaler_mcp.runs.engines import Engine

class Model:
    """Looks up one book, and says that it is done."""

    async def answer(self, question):
        usage = Usage(prompt_tokens=10, completion_tokens=5)
        if question.messages[-1].role == "tool":
            return ChatResponse(text="Task Completed", usage=usage)
        call = ToolCall(id="call_1", name="get_book", arguments='{"book_id": "BOOK-00001"}')
        return ChatResponse(text="", tool_calls=(call,), usage=usage)

@asynccontextmanager
async def connect(endpoint):
    assert endpoint.base_url == "http://models.example/v1"
    yield Model()

@asynccontextmanager
async def noting(options):
    @asynccontextmanager
    async def host(folder, code):
        with Path(options.address).open("a") as notes:
            notes.write(folder.name + "\\n")
        async with hosting(folder, code, options.via, options.home.judge) as opened:
            yield opened

    yield host

FIXED = ModelProvider(NativeCalls(), connect)
NOTING = Engine(noting, ("worker", "direct"))
'''
MEMBERS = {
    "envscaler.model_providers": {"fixed": "fixed_players:FIXED"},
    "envscaler.engines": {"noting": "fixed_players:NOTING"},
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_home(tmp_path_factory.mktemp("home"), tasks=2)


def envscaler(home: Path, site: Path, *words: object) -> subprocess.CompletedProcess[str]:
    """The program as it runs where the package of the site is installed."""
    command = [sys.executable, "-m", "envscaler_mcp", "--home", home, *words]
    models = {"OPENAI_BASE_URL": "http://models.example/v1"}
    environment = {**os.environ, "PYTHONPATH": str(site), "COLUMNS": "200", **models}
    return subprocess.run(
        list(map(str, command)), cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def test_a_run_is_played_by_the_models_of_another_package_on_its_engine(home: Path, tmp_path: Path) -> None:
    site, notes = tmp_path / "site", tmp_path / "notes"
    install(site, "fixed_players", SOURCE, MEMBERS)
    words = ("--agent", "fixed:small", "--engine", "noting", "--ray", notes, "--price", "1,1", "--json")
    done = envscaler(home, site, "run", *words, "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert notes.read_text().splitlines()[0] == "lending_library"
    for episode in read_trajectories(tmp_path / "run"):
        assert (episode.agent, episode.via, episode.ended) == ("fixed:small", "worker", "completed")
        assert [step.tool for step in episode.steps] == ["get_book", ""]
        assert episode.use is not None
        # Prices and tokens are counted for every provider.
        assert episode.use.completion_tokens == 10
        assert episode.use.dollars == pytest.approx(30e-6)
    refused = envscaler(home, site, "run", *words, "--via", "http", "--out", tmp_path / "other")
    assert refused.returncode == 2
    assert "reached over worker or direct, not http" in " ".join(refused.stderr.split())
    unknown = envscaler(home, site, "run", "--engine", "notting", "--out", tmp_path / "other")
    assert "'notting' is not one of local, ray, noting" in " ".join(unknown.stderr.split())


def test_what_comes_along_is_declared_as_another_package_would() -> None:
    assert list(PROVIDERS.built_in) == ["openai", "prompted"]
    assert list(ENGINES.built_in) == ["local", "ray"]
    assert ENGINES["ray"].vias == ("http",)
    # A class of one's own is no provider, and a provider without a model plays nothing.
    assert [provider_of(name)[1] for name in ("openai:a:b", "prompted:", "my.agents:Mine", "oracle")] == [
        "a:b",
        "",
        "",
        "",
    ]
