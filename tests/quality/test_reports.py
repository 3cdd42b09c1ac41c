"""What is kept of an evaluation, and what others can read of it."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from envscaler_mcp.artifacts import CaseCounts
from envscaler_mcp.cli.program import app
from envscaler_mcp.pipeline.emission import emit_environments
from envscaler_mcp.quality import func_test_result
from envscaler_mcp.quality.report import is_admitted
from tests.quality.written import library

ROOT = Path(__file__).resolve().parents[2]


def envscaler(home: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["--home", str(home), *words], env={"COLUMNS": "200"})


def test_the_bar_is_the_papers_for_written_code_and_no_fail_for_compiled_code() -> None:
    assert is_admitted(CaseCounts(total=100, passed=80, warned=5, failed=15), "written")
    assert not is_admitted(CaseCounts(total=100, passed=80, warned=4, failed=16), "written")
    assert not is_admitted(CaseCounts(total=100, passed=99, failed=1), "compiled")
    assert not is_admitted(CaseCounts(), "written")


def test_a_report_quotes_what_is_no_pass_and_one_pass_of_each_kind() -> None:
    evaluation = library(
        '            return {"success": False, "error": f"Loan {loan_id} does not exist"}',
        "            raise KeyError(loan_id)",
    )
    report = evaluation.report
    assert report.summary.total == len(evaluation.judged) == sum(one.total for one in report.operations.values())
    assert sum(case.judgement != "pass" for case in report.cases) == report.summary.failed + report.summary.warned
    passes = [(case.operation, case.kind) for case in report.cases if case.judgement == "pass"]
    assert len(passes) == len(set(passes))


def test_the_published_keys_hold_every_case_with_its_states() -> None:
    evaluation = library()
    result = json.loads(json.dumps(func_test_result(evaluation.judged)))["func_test_cases"]
    summary = result["summary"]
    assert len(summary) == 12
    assert summary["total_count"] == len(evaluation.judged) == summary["positive_count"] + summary["negative_count"]
    assert summary["fail_count"] == summary["positive_fail_count"] + summary["negative_fail_count"] == 0
    cases = [case for kept in result["details"].values() for case in kept["cases"]]
    assert sorted(case["step"] for case in cases) == list(range(1, len(cases) + 1))
    assert sum(kept["summary"]["total_count"] for kept in result["details"].values()) == len(cases)
    lent = next(case for case in result["details"]["lend_book"]["cases"] if case["state_diff"])
    assert set(lent) == {
        "step", "case_type", "status", "passed", "thought", "parameters", "state_before_call", "state_after_call",
        "state_diff", "observation", "check_result", "check_reason",
    }  # fmt: skip
    book = lent["parameters"]["book_id"]
    assert lent["state_diff"]["books"][book] == {"lent": {"changed": {"old": False, "new": True}}}
    assert lent["state_diff"]["loans"]["L3"]["added"]["book_id"] == book
    assert "L3" not in lent["state_before_call"]["loans"]
    assert "L3" in lent["state_after_call"]["loans"]


def emitted_gym(home: Path) -> Path:
    """The gym's folder in a home of its own."""
    emit_environments([ROOT / "tests" / "blueprints" / "gym.yaml"], home / "generated_servers", home / "registry.json")
    return home / "generated_servers" / "gym"


def test_a_server_is_checked_from_the_command_line(tmp_path: Path) -> None:
    emitted_gym(tmp_path)
    told = envscaler(tmp_path, "check", "gym")
    assert told.exit_code == 0, told.output
    head, row, *_ = told.output.splitlines()
    assert head.split()[:7] == ["id", "calls", "right", "wrong", "pass", "warning", "fail"]
    assert (row.split()[0], row.split()[6]) == ("gym", "0")
    assert row.endswith("3 of 3        admitted")
    (report,) = json.loads(envscaler(tmp_path, "check", "--all", "--json").output)
    assert (report["environment"], str(report["summary"]["total"])) == ("gym", row.split()[1])
    published = json.loads(envscaler(tmp_path, "check", "gym", "--upstream").output)
    assert published["gym"]["func_test_cases"]["summary"]["total_count"] == report["summary"]["total"]


def test_code_that_was_changed_by_hand_is_tried_in_workers_and_held_against_its_blueprint(tmp_path: Path) -> None:
    folder = emitted_gym(tmp_path)
    source = (folder / "environment.py").read_text(encoding="utf-8")
    guard = "return _refused(f\"{course['name']} is full.\")"
    assert guard in source
    dirty = source.replace(guard, f"self.members.clear()\n            {guard}")
    (folder / "environment.py").write_text(dirty, encoding="utf-8")
    told = envscaler(tmp_path, "check", "gym")
    assert told.exit_code == 1
    assert "the refused call changed members MEMBER-00001 (gone)" in told.output
    assert "not admitted" in told.output


def test_what_is_checked_must_be_said() -> None:
    assert envscaler(ROOT, "check").exit_code == 2
    assert envscaler(ROOT, "check", "hospital_stay").exit_code == 2
