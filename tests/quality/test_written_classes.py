"""Every way in which a written class may break the contract is found, and told for what it is."""

from __future__ import annotations

from functools import partial

from envscaler_mcp.quality.probe_worlds import Opener
from envscaler_mcp.sandbox.isolation import open_isolated
from envscaler_mcp.sandbox.limits import Limits
from tests.quality.written import (
    LIBRARY,
    WORKSHOP,
    evaluated,
    failing,
    fails,
    library,
    library_state,
    workshop_state,
)


def test_a_sound_class_passes_and_is_tried_rightly_and_wrongly_in_every_tool() -> None:
    report = library().report
    assert report.admitted
    assert (report.summary.failed, report.summary.warned) == (0, 1)
    (doubtful,) = [case for case in report.cases if case.judgement == "warning"]
    assert (doubtful.operation, doubtful.tries) == ("list_books", "an empty genre")
    for name, counts in report.operations.items():
        assert counts.positive > 0, name
        assert counts.negative > 0, name


def test_a_query_that_writes_is_told_by_its_name() -> None:
    broken = library("        found = [book", "        self.last_asked = str(genre)\n        found = [book")
    assert "it only reads, by its name, and changed last_asked" in fails(broken, "list_books")
    assert {one.probe.tool for one in failing(broken)} == {"list_books"}


def test_a_query_that_writes_is_told_by_its_declaration() -> None:
    source = LIBRARY.replace(
        "    def return_book",
        "    def borrowers(self) -> dict:\n"
        '        """Who has books."""\n        self.last_asked = "borrowers"\n'
        '        return {"success": True, "data": list(self.members)}\n\n    def return_book',
    )
    source += '\n\nCHANGES = ("lend_book", "return_book", "remove_book")\n'
    broken = evaluated(source, "TownLibrary", library_state())
    assert set(fails(broken, "borrowers")) == {"it only reads, by its declaration, and changed last_asked"}


def test_a_refusal_that_leaves_something_behind_is_found_although_worlds_mend_it() -> None:
    broken = library(
        '            return {"success": False, "error": f"The book {self.books[book_id][\'title\']} is lent already"}',
        '            self.books[book_id]["asked_for"] = member_id\n'
        '            return {"success": False, "error": f"The book {self.books[book_id][\'title\']} is lent already"}',
    )
    found = fails(broken, "lend_book")
    assert found
    assert all("the refused call changed books B" in reason and "(asked_for)" in reason for reason in found)


def test_an_exception_is_found_and_named() -> None:
    broken = library(
        '        if loan_id not in self.loans:\n            return {"success": False, "error": f"Loan {loan_id} does not exist"}\n'
    )
    assert any(reason.startswith("it raised KeyError: 'L9'") for reason in fails(broken, "return_book"))


def test_an_answer_that_depends_on_what_was_asked_before_is_found() -> None:
    broken = library(
        '        return {"success": True, "data": found}',
        '        ASKED.append("books")\n        return {"success": True, "data": found + [len(ASKED)]}',
    )
    assert "the same call on two forks gave two answers" in fails(broken, "list_books")


def test_a_state_that_depends_on_what_was_asked_before_is_found() -> None:
    broken = library(
        "        self.lent_in_all += 1\n",
        '        self.lent_in_all += 1\n        ASKED.append("lent")\n        self.last_asked = str(len(ASKED))\n',
    )
    assert "the same call on two forks gave two states" in fails(broken, "lend_book")


def test_results_of_another_shape_are_found() -> None:
    said = '{"success": True, "message": "Removed"}'
    shapes = {
        '"Removed"': "not of the published shape",
        '{"success": "yes", "message": "Removed"}': "not of the published shape",
        '{"success": True}': "neither data nor a message",
        '{"success": True, "data": {1, 2}}': "not of the published shape",
    }
    for shape, reason in shapes.items():
        found = fails(library(said, shape), "remove_book")
        assert found, shape
        assert all(reason in one for one in found), shape


def test_a_refusal_that_gives_no_reason_is_found() -> None:
    broken = library('"error": f"Member {member_id} does not exist"', '"message": "no"')
    assert any("the refusal gives no reason" in reason for reason in fails(broken, "lend_book"))


def test_a_refusal_that_names_nothing_is_doubtful() -> None:
    broken = library('"error": f"Member {member_id} does not exist"', '"error": "That went quite wrong"')
    said = [one.reason for one in broken.judged if one.judgement == "warning" and one.probe.tool == "lend_book"]
    assert "the refusal 'That went quite wrong' names neither a value nor a thing" in said


def test_a_counted_id_that_is_used_twice_is_found() -> None:
    broken = library('loan_id = f"L{self.lent_in_all}"', 'loan_id = f"L{len(self.loans) + 1}"')
    assert any("it wrote over loans 'L3'" in reason for reason in fails(broken, "lend_book"))


def test_an_id_that_belonged_to_a_record_that_is_gone_is_found() -> None:
    broken = library(
        'loan_id = f"L{self.lent_in_all}"', 'loan_id = f"L{max([int(key[1:]) for key in self.loans], default=0) + 1}"'
    )
    assert any("the id 'L3', which another record had before" in reason for reason in fails(broken, "lend_book"))


def test_a_reference_that_leads_nowhere_is_found() -> None:
    broken = library(
        '        if self.books[book_id]["lent"]:\n            return {"success": False, "error": f"The book {self.books[book_id][\'title\']} is lent"}\n'
    )
    assert any("loans L1 refers by book_id to 'B1'" in reason for reason in fails(broken, "remove_book"))


def test_an_unknown_id_that_is_accepted_is_found() -> None:
    broken = library(
        '        if member_id not in self.members:\n            return {"success": False, "error": f"Member {member_id} does not exist"}\n'
    )
    assert any("it should be refused: an unknown member_id" in reason for reason in fails(broken, "lend_book"))


def test_a_tool_that_never_does_anything_is_doubtful() -> None:
    broken = library(
        'if book_id not in self.books:\n            return {"success": False, "error": f"Book {book_id} does not exist"}\n        if self.books[book_id]["lent"]:\n            return {"success": False, "error": f"The book {self.books[book_id][\'title\']} is lent"}\n',
        'if book_id:\n            return {"success": False, "error": f"Book {book_id} stays"}\n',
    )
    (idle,) = [one for one in broken.judged if one.reason == "no call was found that it does"]
    assert (idle.probe.tool, idle.judgement) == ("remove_book", "warning")
    assert broken.gaps == ("remove_book: no call was found that it does",)


def test_a_class_most_of_whose_calls_fail_is_not_admitted() -> None:
    broken = library('return {"success": True', 'return {"succes": True')
    assert not broken.report.admitted


def test_classes_nobody_has_read_are_tried_in_workers() -> None:
    for source, name, state in (
        (LIBRARY, "TownLibrary", library_state()),
        (WORKSHOP, "BicycleWorkshop", workshop_state()),
    ):
        evaluation = evaluated(source, name, state, open_isolated)
        assert [f"{one.probe.tool}: {one.reason}" for one in failing(evaluation)] == []
        assert evaluation.report.admitted
        assert evaluation.gaps == ()
        assert evaluation.report == evaluated(source, name, state).report


def test_what_a_world_mends_in_a_worker_is_seen_there_too() -> None:
    dirty = WORKSHOP.replace(
        '            return {"success": False, "error": f"The repair is {repair[\'status\']}"}',
        '            repair["log"].append("asked")\n            return {"success": False, "error": f"The repair is {repair[\'status\']}"}',
    )
    assert dirty != WORKSHOP
    found = fails(evaluated(dirty, "BicycleWorkshop", workshop_state(), open_isolated), "assign_repair")
    assert found
    assert all("the refused call changed repairs R-" in reason and "(log)" in reason for reason in found)


def test_a_call_that_never_ends_costs_its_world_and_not_the_evaluation() -> None:
    endless = WORKSHOP.replace(
        "        if price <= 0:", "        while price == 41.0:\n            pass\n        if price <= 0:"
    )
    impatient: Opener = partial(open_isolated, limits=Limits(call_seconds=0.2))
    evaluation = evaluated(endless, "BicycleWorkshop", workshop_state(), impatient)
    assert any(reason.startswith("its world ended: ") for reason in fails(evaluation, "accept_repair"))
    assert fails(evaluation, "assign_repair") == []
