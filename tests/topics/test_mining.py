"""Raw tasks that need records are kept for reasons one can read, grouped by what they speak of, and held beside the library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from envscaler_mcp.cli.program import app
from envscaler_mcp.synthesis.topics.grouping import grouped_topics
from envscaler_mcp.synthesis.topics.mining import RawTask, mine
from envscaler_mcp.synthesis.topics.stateful import look_at
from envscaler_mcp.synthesis.topics.vectors import Weights, cosine

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "docs" / "samples" / "raw_tasks.jsonl"


def envscaler(*words: object) -> Result:
    return CliRunner().invoke(app, ["--home", str(ROOT), *map(str, words)], env={"COLUMNS": "200"})


def tasks(*texts: str) -> list[RawTask]:
    return [RawTask(text, number) for number, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("Cancel order 77120 and refund it.", "changes a record"),
        ("What did I put on my watchlist yesterday? Show my watchlist.", "speaks of records of its own"),
        ("Pull up the file of the patient with id 88213.", "names a record by its number"),
    ],
)
def test_a_request_that_needs_records_is_kept_and_says_why(text: str, cue: str) -> None:
    found = look_at(text)
    assert found.stateful
    assert cue in found.cues


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("Calculate the balance of a loan after four years at 5 percent.", "reckons"),
        ("Write a story about a cancelled order.", "wants a text"),
        ("Explain how to book a flight.", "wants to know or to be told how"),
        ("Find an Italian restaurant near me.", "looks for what is public"),
    ],
)
def test_a_request_that_needs_none_is_left_out_and_says_why(text: str, cue: str) -> None:
    found = look_at(text)
    assert not found.stateful
    assert cue in found.cues


def test_on_the_sample_that_ships_people_and_cues_mostly_agree() -> None:
    told = json.loads(envscaler("mine", SAMPLE, "--json").output)
    assert told["agreement"]["labelled"] == 60
    assert told["agreement"]["precision"] >= 0.9
    assert told["agreement"]["recall"] >= 0.7


def test_what_speaks_of_the_same_things_is_one_group() -> None:
    texts = [
        "Book a table for two at the bistro tonight",
        "Cancel the table that I booked at the bistro",
        "Refill the prescription for my blood pressure tablets",
        "Cancel the prescription for those blood pressure tablets",
        "Move my table at the bistro to nine",
    ]
    weights = Weights(texts)
    groups = grouped_topics([weights.vector(text) for text in texts], together=0.2)
    assert sorted(sorted(group.members) for group in groups) == [[0, 1, 4], [2, 3]]


def test_a_group_is_covered_by_the_environment_that_speaks_of_it_and_by_no_other() -> None:
    library = {
        "vet": "Animal clinic. Vaccinations and operations of cats and dogs, with owners and invoices.",
        "bistro": "Bistro. Tables are booked by guests, joined for groups and given back when a booking is cancelled.",
    }
    mined = mine(
        tasks("Book a table for our guests", "Please cancel the booking of table 12", "Restock the vault with gold"),
        library,
    )
    assert mined.stateful == 3
    nearest = {group.tasks[0].text: group for group in mined.groups}
    assert nearest["Book a table for our guests"].matches[0].environment == "bistro"
    assert nearest["Book a table for our guests"].covered
    assert not nearest["Restock the vault with gold"].covered


def test_words_that_differ_in_their_ending_are_one_word() -> None:
    weights = Weights(["bookings cancelled", "tables"])
    assert cosine(weights.vector("cancelled bookings"), weights.vector("cancel booking")) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "holds no tasks"),
        ('{"task": 3}', "line 1"),
        ('plain text\n{"task": "a"', "line 2: this is no JSON"),
        ('{"task": "a", "stateful": "yes"}', "true or false"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_text(text, encoding="utf-8")
    told = envscaler("mine", file)
    assert told.exit_code != 0
    assert complaint in told.output


def test_every_task_says_why_it_was_kept_or_not(tmp_path: Path) -> None:
    file = tmp_path / "tasks.txt"
    file.write_text("Cancel my subscription\nWhat is love?\n", encoding="utf-8")
    told = envscaler("mine", file, "--why").output
    assert "kept" in told.splitlines()[0]
    assert "out" in told.splitlines()[1]
    assert "1 of 2 tasks need a system with records" in told
