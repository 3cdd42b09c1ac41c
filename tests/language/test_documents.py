"""A YAML file means what it looks like."""

from __future__ import annotations

from pathlib import Path

import pytest

from envscaler_mcp.errors import BlueprintError
from envscaler_mcp.language import read_blueprint
from envscaler_mcp.language.model import For, If
from tests.language.small import errors, sound, text


def refusal(document: str) -> str:
    with pytest.raises(BlueprintError) as told:
        read_blueprint(document, "small.yaml")
    return str(told.value)


def line_of(document: str, part: str) -> int:
    return document[: document.index(part)].count("\n") + 1


def test_a_key_that_stands_twice_is_told_with_both_lines() -> None:
    document = text().replace("    since: fixed date\n", "    since: fixed date\n    ward: ref(Ward)\n")
    first = line_of(document, "    ward: ref(Ward)\n    since")
    assert (
        refusal(document) == f"small.yaml:{first + 2}: 'ward' stands here a second time; the first is in line {first}"
    )


def test_an_operation_that_stands_twice_does_not_vanish() -> None:
    document = text(operations="close:\n  about: Close.\n  effect: [delete one]\n  say: close")
    assert f"the first is in line {line_of(document, '  close:')}" in refusal(document)


def test_words_that_yaml_takes_for_true_and_false_stay_words() -> None:
    model = sound(params="on: date\nno: bool\nyes: int", require="on > today and not no and yes > 0 | No.")
    assert [param.name for param in model.operations["tried"].params][2:] == ["on", "no", "yes"]


def test_a_time_stays_a_time_and_a_number_a_text() -> None:
    blueprint = read_blueprint(text(entities="Shop:\n  opens: time = 12:30\n  code: text = 007\n  on: text = on"))
    assert blueprint.entities["Shop"] == {"opens": "time = 12:30", "code": "text = 007", "on": "text = on"}


def test_a_bracket_that_commas_have_cut_is_told() -> None:
    document = text(entities="Blood: {rh: one_of(pos, neg)}")
    assert "has an open bracket or quote; write one attribute per line: {} cuts at commas" in refusal(document)


def test_a_sentence_with_a_colon_stands_in_quotes() -> None:
    assert "a sentence with ': ' in it must stand in quotes" in refusal(text(say="do it: now"))
    sound(say="'do it: now'")
    assert "put a statement with ': ' in it in quotes" in refusal(text(effect="one.note = 'a': 'b'"))


def test_a_list_in_brackets_is_cut_at_its_own_commas_only() -> None:
    document = text(queries="found:\n  about: Stays.\n  find: s in Stay\n  by: [max(s.fee, 5), desc(s.since), s.id]")
    assert read_blueprint(document).queries["found"].by == ("max(s.fee, 5)", "desc(s.since)", "s.id")


def test_a_list_in_brackets_goes_over_lines() -> None:
    document = text(queries="found:\n  about: Stays.\n  find: s in Stay\n  by: [max(s.fee,\n       5), s.id]")
    assert read_blueprint(document).queries["found"].by[1] == "s.id"


def test_an_unknown_part_is_told_with_a_near_one() -> None:
    assert "there is no part 'rule' in a blueprint; did you mean 'rules'?" in refusal(text() + "rule: x\n")
    assert "an operation has no part 'effects'; did you mean 'effect'?" in refusal(
        text().replace("effect:", "effects:", 1)
    )
    assert "a query has no part 'were'; did you mean 'where'?" in refusal(
        text(queries="q:\n  about: Q.\n  find: s in Stay\n  were: []")
    )


def test_an_operation_without_words_is_told() -> None:
    assert "this operation lacks 'say'" in refusal(text().replace("    say: admit to {ward}\n", ""))


def test_tags_and_what_is_no_mapping_are_refused() -> None:
    assert "tags are not part of the language" in refusal(text(say="!!python/name:os.system x"))
    assert "a blueprint is a mapping" in refusal("- a\n- b\n")
    assert "small.yaml:" in refusal("a: [1, 2\n")


def test_anchors_do_not_make_one_part_stand_for_another() -> None:
    assert "small.yaml" in refusal(text(say="&x do it").replace("say: admit to {ward}", "say: *x"))


def test_a_file_that_is_not_there_is_told() -> None:
    with pytest.raises(BlueprintError, match="cannot be read"):
        read_blueprint(Path("nowhere.yaml"))


SWEEP = """\
sweep:
  about: Sweep.
  params:
    by: ref(Nurse)
  effect:
    - for s in Stay if s.nurse == by by desc(s.fee), s.id limit 3:
        - if s.fee > 0:
            - s.fee = 0
          else:
            - delete s
  say: sweep
"""


def test_a_loop_is_read_though_a_parameter_is_called_as_a_word_of_it() -> None:
    loop = sound(operations=SWEEP).operations["sweep"].effect[0]
    assert isinstance(loop, For)
    assert (len(loop.by), loop.limit is not None, len(loop.loop.tests)) == (2, True, 1)


def test_a_branch_is_read_with_what_is_done_otherwise() -> None:
    loop = sound(operations=SWEEP).operations["sweep"].effect[0]
    assert isinstance(loop, For)
    branch = loop.body[0]
    assert isinstance(branch, If)
    assert [type(statement).__name__ for statement in (*branch.then, *branch.otherwise)] == ["Put", "Delete"]


def test_a_statement_that_is_none_is_told_at_its_place() -> None:
    assert "operation tried, effect 2: 'print(one)' is no statement" in errors(effect="print(one)")


def test_a_pattern_that_yaml_would_cut_at_its_number_signs_is_refused() -> None:
    document = text() + "start:\n  values:\n    Ward.name: North ## | South ##\n"
    assert "a # after a space begins a comment" in refusal(document)
    assert read_blueprint(document.replace("North ## | South ##", "North# | South##"), "small.yaml").start.values
