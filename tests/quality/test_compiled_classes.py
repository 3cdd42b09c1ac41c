"""What was compiled is held against its blueprint; the compiler's work is spoilt on purpose to see that it is noticed."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from envscaler_mcp.artifacts import Environment, QualityReport, State, digest_of
from envscaler_mcp.config.choices import SEED
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.pipeline.building import STATES, build, evaluate_folder
from envscaler_mcp.quality import Evaluation, evaluate
from envscaler_mcp.scenarios import grow
from envscaler_mcp.serving import EnvironmentCode, load_class, open_unread_world
from envscaler_mcp.synthesis import Synthesized, synthesize
from tests.library_sample import sample, turns
from tests.quality.written import failing, fails

ROOT = Path(__file__).resolve().parents[2]
GYM = ROOT / "tests" / "blueprints" / "gym.yaml"


@cache
def gym() -> tuple[Synthesized, State]:
    made = synthesize(read_blueprint(GYM), ("start",))
    content = grow(made.model, load_class(made.nursery_source, made.nursery_class), SEED).content
    return made, State(environment="gym", name="start", seed=SEED, content=content)


def spoilt(*replaced: tuple[str, str]) -> Evaluation:
    """The gym with pieces of its source replaced, given out as if the compiler had written it so."""
    made, state = gym()
    source = made.source
    for old, new in replaced:
        assert old in source
        source = source.replace(old, new)
    card = made.environment.model_copy(update={"code_digest": digest_of(source)})
    code = EnvironmentCode.of(card, source)
    assert code.journaled
    return evaluate(code, [state], open_unread_world, model=made.model)


GUARD = """        if self._course_taken(course) >= course["places"]:
            return _refused(f"{course['name']} is full.")
"""
ADDED = '        self._add("places", place)\n'


def test_what_the_compiler_wrote_passes_and_every_guard_is_shown() -> None:
    evaluation = spoilt()
    assert failing(evaluation) == []
    assert (evaluation.shown, evaluation.guards) == (3, 3)
    assert evaluation.gaps == ()
    tried = {one.probe.tries for one in evaluation.judged if one.probe.tool == "book_place"}
    assert {"guard 2 false: course.taken < course.places", "an unknown member_id", "without course_id"} <= tried


def test_a_guard_that_is_missing_is_noticed_as_the_rule_behind_it_speaks() -> None:
    found = fails(spoilt((GUARD, "")), "book_place")
    assert any("and the blueprint says" in reason and "is full." in reason for reason in found)


def test_a_call_that_a_guard_should_refuse_and_that_is_done_is_a_fail() -> None:
    broken = spoilt(
        (GUARD, ""),
        (
            '        if self._breaks_rule_1(self.courses[place["course_id"]]):\n            return self._take_back(RULES[0])\n        if self._breaks_rule_2(place):\n            return self._take_back(RULES[1])\n        return {\n',
            "        return {\n",
        ),
    )
    assert any("it should be refused: guard 2 false" in reason for reason in fails(broken, "book_place"))
    assert not broken.report.admitted


def test_a_broken_rule_is_named() -> None:
    again = spoilt(
        (
            '        self._put("places", place, "status", "given_up")\n',
            '        self._put("places", place, "course_id", next(iter(self.courses)))\n',
        )
    )
    assert any(
        reason.startswith(("it broke the rule: ", "it changed places")) for reason in fails(again, "give_up_place")
    )


def test_an_effect_that_was_not_declared_is_a_fail() -> None:
    lying = spoilt((ADDED, ADDED + '        self._put("members", member, "name", "Nobody")\n'))
    found = fails(lying, "book_place")
    assert any(
        "it changed members MEMBER-" in reason and "(name), which its effects do not declare" in reason
        for reason in found
    )


def test_a_write_that_is_not_in_the_journal_is_a_fail() -> None:
    careless = spoilt((ADDED, ADDED + '        member["name"] = member["name"] + "!"\n'))
    assert any(
        "could not be taken back: " in reason or "do not declare" in reason for reason in fails(careless, "book_place")
    )
    silent = spoilt(
        ('        self._put("places", place, "status", "given_up")\n', '        place["status"] = "given_up"\n')
    )
    assert any("is not written down and could not be taken back" in reason for reason in fails(silent, "give_up_place"))


def test_a_refusal_that_is_not_undone_is_a_fail() -> None:
    dirty = spoilt(
        (
            "            return _refused(f\"{course['name']} is full.\")\n",
            '            self.counters["place"] = 99\n            return _refused(f"{course[\'name\']} is full.")\n',
        )
    )
    assert any("the refused call changed counters.place" in reason for reason in fails(dirty, "book_place"))


def test_an_id_that_is_given_twice_is_a_fail() -> None:
    broken = spoilt(
        (
            "        number = self.counters.get(noun, 0) + 1\n        while",
            "        number = 1\n        while False and",
        )
    )
    assert fails(broken, "book_place")


def test_another_sentence_than_the_blueprints_is_a_fail() -> None:
    other = spoilt(("is full.", "has no room."))
    assert any(
        "has no room.' , and" in reason or "and the blueprint says" in reason for reason in fails(other, "book_place")
    )


def test_a_call_that_a_rule_refuses_after_all_guards_is_doubtful_and_no_fail() -> None:
    text = GYM.read_text(encoding="utf-8")
    unguarded = text.replace("      - course.taken < course.places | {course.name} is full.\n", "")
    assert unguarded != text
    again = synthesize(read_blueprint(unguarded, "gym.yaml"), ("start",))
    evaluation = evaluate(
        EnvironmentCode.of(again.environment, again.source), [gym()[1]], open_unread_world, model=again.model
    )
    assert failing(evaluation) == []
    said = [one.reason for one in evaluation.judged if one.judgement == "warning"]
    assert "every guard lets it pass, and it was refused: A course never has more members than places." in said


def test_texts_that_are_called_like_records_are_no_ids() -> None:
    added = """operations:
  invite:
    about: Invite people who are no members yet.
    params:
      members: list(text)
    require:
      - len(members) > 0 | Name somebody to invite.
    effect:
      - for name in members:
          - new Member(name, email='guest@example.com', born=today)
    say: invite people
"""
    values = "  values:\n    invite.members: Ada Berg | Bruno Costa\n"
    text = GYM.read_text(encoding="utf-8").replace("operations:\n", added, 1).replace("  values:\n", values, 1)
    made = synthesize(read_blueprint(text, "gym.yaml"), ("start",))
    code = EnvironmentCode.of(made.environment, made.source)
    evaluation = evaluate(code, [gym()[1]], open_unread_world, model=made.model)
    assert failing(evaluation) == []
    assert any(one.probe.tool == "invite" and one.probe.kind == "positive" for one in evaluation.judged)


def test_what_is_put_under_a_key_makes_a_record_or_changes_the_one_that_is_there() -> None:
    text = GYM.read_text(encoding="utf-8")
    text = text.replace("rules:\n", "  Note:\n    key: unique text\n    text: text\n    by: ref(Member)\nrules:\n", 1)
    added = """operations:
  put_note:
    about: Put a note on the board, in the place of the one with its key.
    params:
      key: text
      text: text
      by: ref(Member)
    effect:
      - let there = first(n for n in Note if n.key == key)
      - if there is None:
          - new Note(key, text, by)
        else:
          - there.text = text
          - there.by = by
    say: put up a note
"""
    values = "  values:\n    put_note.key: door\n    put_note.text: Closed | Wet | New\n"
    text = text.replace("operations:\n", added, 1).replace("  values:\n", values, 1)
    made = synthesize(read_blueprint(text, "gym.yaml"), ("start",))
    state = State(environment="gym", name="start", seed=SEED, content=gym()[1].content | {"notes": {}})
    code = EnvironmentCode.of(made.environment, made.source)
    evaluation = evaluate(code, [state], open_unread_world, model=made.model)
    assert failing(evaluation) == []
    assert any(one.probe.tool == "put_note" and one.probe.kind == "positive" for one in evaluation.judged)


def test_equal_code_and_states_give_equal_reports() -> None:
    assert spoilt().report.to_text() == spoilt().report.to_text()


def test_a_built_folder_holds_its_report() -> None:
    built = build(GYM)
    report = QualityReport.from_text(built.files["quality_report.json"], "quality_report.json")
    assert (report.environment, report.admitted, report.seeds) == ("gym", True, tuple(STATES.values()))
    assert report.code_digest == built.environment.code_digest


@pytest.mark.parametrize("env_id", turns(sample(blueprint_files(), 3), 1))
def test_what_ships_is_admitted_without_a_fail(env_id: str) -> None:
    evaluation = evaluate_folder(ROOT / "generated_servers" / env_id)
    assert [f"{one.probe.tool} {one.probe.arguments}: {one.reason}" for one in failing(evaluation)] == []
    assert evaluation.report.admitted
    for name, counts in evaluation.report.operations.items():
        assert counts.negative > 0, name
        assert counts.positive > 0, name


def test_every_report_that_ships_admits_its_code_and_tries_each_tool_both_ways() -> None:
    # `make check` makes these reports anew, and says so if one is another.
    for env_id in blueprint_files():
        folder = ROOT / "generated_servers" / env_id
        report = QualityReport.read(folder / "quality_report.json")
        card = Environment.read(folder / "environment.json")
        assert (report.environment, report.code_digest, report.admitted) == (env_id, card.code_digest, True)
        assert report.summary.failed == 0, env_id
        assert report.operations.keys() == {tool.name for tool in card.tools}, env_id
        assert all(counts.positive and counts.negative for counts in report.operations.values()), env_id
