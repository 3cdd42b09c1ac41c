"""A run tells its first error by itself, and what it did until then; it writes over nothing that is somebody else's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from envscaler_mcp.config.synthesis import SynthesisConfig
from envscaler_mcp.errors import ModelError
from envscaler_mcp.llm import ChatResponse, ModelParams
from envscaler_mcp.llm.recording import Recording
from envscaler_mcp.pipeline.synthesis_run import SynthesisSettings, judged_tasks, synthesis_run
from envscaler_mcp.pipeline.synthesizing import Synthesis
from envscaler_mcp.synthesis.topics.mining import RawTask
from tests.cli.test_synthesize import TASKS, actor
from tests.llm.asking import endpoint, question
from tests.llm.endpoint import Asked, Fail, Reply, scripted_endpoint
from tests.llm.speaking import speaking

RAW = [RawTask(text, number) for number, text in enumerate(TASKS, start=1)]


def options(url: str, **more: object) -> SynthesisSettings:
    wanted = SynthesisConfig(environments=1, scenarios=1, style="code", embeddings="tiny")
    return SynthesisSettings.model_validate(
        {"wanted": wanted, "asking": ModelParams(model="small"), "endpoint": endpoint(url), **more}
    )


async def run(home: Path, chosen: SynthesisSettings) -> Synthesis:
    servers, registry = home / "generated_servers", home / "registry.json"
    return (await synthesis_run(chosen, RAW, home / "run", servers, registry))[0]


@pytest.mark.parametrize(
    ("begin", "kept", "groups"),
    [("sort requests", 0, 0), ("design environments", 3, 3), ("", 3, 3)],
    ids=["judging", "naming", "embedding"],
)
async def test_an_error_is_told_by_itself_after_the_report_of_what_was_done(
    begin: str, kept: int, groups: int, tmp_path: Path
) -> None:
    good = speaking(actor())

    def failing(asked: Asked) -> Reply:
        refused = "input" in asked if not begin else begin in str(asked.get("messages", "")[:1])
        return Fail(401, "no such key") if refused else good(asked)

    async with scripted_endpoint(failing) as place:
        with pytest.raises(ModelError, match="OPENAI_API_KEY") as failed:
            await run(tmp_path, options(place.url))
    told = json.loads((tmp_path / "run" / "report.json").read_text())
    assert (told["kept"], told["groups"], told["stopped"]) == (kept, groups, str(failed.value))


async def test_a_folder_that_the_run_did_not_write_is_left_alone_before_anything_is_paid_for_it(tmp_path: Path) -> None:
    theirs = tmp_path / "generated_servers" / "lending_desk"
    theirs.mkdir(parents=True)
    (theirs / "environment.py").write_text("# Theirs.\n")
    author = actor()
    async with scripted_endpoint(speaking(author)) as place:
        found = await run(tmp_path, options(place.url))
    (failed,) = found.failed
    assert "exists and is not of this run: move it away" in failed.reason
    assert [path.read_text() for path in theirs.iterdir()] == ["# Theirs.\n"]
    assert author.times("infer_state") == 0


async def test_a_replay_that_lacks_an_answer_says_so_by_itself(tmp_path: Path) -> None:
    Recording(tmp_path / "tape").note(question(), ChatResponse(text="Four."))
    with pytest.raises(ModelError, match="has no answer to this question of judge_tasks"):
        await run(tmp_path, options("x", mode="replay", recording=tmp_path / "tape"))


async def test_tasks_that_cannot_be_judged_are_one_error(tmp_path: Path) -> None:
    async with scripted_endpoint(lambda _: Fail(401, "no such key")) as place:
        with pytest.raises(ModelError, match="OPENAI_API_KEY"):
            await judged_tasks(endpoint(place.url), ModelParams(model="small"), RAW, tmp_path / "answers.sqlite")
