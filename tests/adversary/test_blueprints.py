"""A blueprint that came from anywhere is read, checked, grown and called within bounds, or refused with its place."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.config.choices import SEED
from envscaler_mcp.errors import BlueprintError, GrowthError
from envscaler_mcp.language import check_blueprint, read_blueprint
from envscaler_mcp.library import blueprint_files
from envscaler_mcp.pipeline.authoring import check_blueprints
from envscaler_mcp.scenarios import grow
from envscaler_mcp.serving import deadline, load_class, open_world
from envscaler_mcp.serving.code import EnvironmentCode
from envscaler_mcp.serving.world import LocalWorld
from envscaler_mcp.synthesis import synthesize

TEXT = """
id: probe
title: Probe
about: Knocks on things.
sector: other
entities:
  Item:
    name: person
    count: int = 0
    size: int = 2
    small: int(0..100) = 1
    tags: list(text)
    next: optional ref(Item)
DEFINE
rules:
  - text: Counts are never negative.
    holds: all(i.count >= 0 for i in Item)
  - text: Nothing is too large.
    holds: RULE
operations:
  knock:
    about: Knock on one.
    params:
      item: ref(Item)
      times: int
    require:
      - times + item.count >= 0 | That is too seldom.
    effect:
      - item.size += 1
    say: knocked
  work:
    about: Do much.
    params:
      item: ref(Item)
      times: int
    require:
      - times + item.count >= 0 | That is too seldom.
    effect:
EFFECT
    say: done
start:
  records: {Item: 3}
  history: 4
"""


def blueprint(
    rule: str = "all(i.count >= -1 for i in Item)", define: str = "", effect: str = "      - item.count += 1"
) -> str:
    written = f"define:\n{define}" if define else ""
    return TEXT.replace("RULE", rule).replace("DEFINE", written).replace("EFFECT", effect)


def errors(text: str) -> list[str]:
    return [str(problem) for problem in check_blueprint(read_blueprint(text, "probe.yaml")).errors]


def opened(text: str, items: int) -> LocalWorld:
    made = synthesize(read_blueprint(text, "probe.yaml"), ("start",))
    records: dict[str, dict[str, object]] = {
        f"ITEM-{n:05d}": {
            "id": f"ITEM-{n:05d}",
            "name": "x",
            "count": 0,
            "size": 2,
            "small": 1,
            "tags": [],
            "next_id": None,
        }
        for n in range(1, items + 1)
    }
    code = EnvironmentCode.of(made.environment, made.source, "compiled")
    return open_world(code, {"items": records, "now": "2026-03-02T09:00", "counters": {"item": items}}, 1)


def nested(loops: int, core: str = "i.count >= 0") -> str:
    for letter in "abcdefghijklmn"[:loops]:
        core = f"all({core.replace('i.', letter + '.') if core == 'i.count >= 0' else core} for {letter} in Item)"
    return core


# Files


def test_a_file_nested_without_end_is_refused_and_ends_no_process(tmp_path: Path) -> None:
    for text in ("[" * 30_000, "- " * 30_000 + "x", "{a: " * 30_000, "".join(f"{' ' * n}a:\n" for n in range(600))):
        file = tmp_path / "deep.yaml"
        file.write_text(text, encoding="utf-8")
        words = [sys.executable, "-m", "envscaler_mcp", "blueprint", "check", str(file)]
        done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1, done
        assert "deep" in done.stdout
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: &a [x]\nb: *a", "anchors"),
        ("\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9) if n else 'x'}]" for n in range(20)), "anchors"),
        ("a: !!python/object:os.system x", "tags are not part of the language"),
        ("title: " + "x" * 50_000, "a text has 50,000 characters"),
        ("x" * 600_000, "more than 524,288 bytes"),
        ("rules:\n" + "  - a\n" * 30_000, "more than 20,000 entries"),
    ],
)
def test_a_file_that_is_too_large_is_refused_with_its_place(text: str, told: str) -> None:
    began = time.process_time()
    with pytest.raises(BlueprintError, match=told) as caught:
        read_blueprint(text, "probe.yaml")
    assert str(caught.value).startswith("probe.yaml")
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("Item: 3", "Item: 1000000", "base records"),
        ("Item: 3", "Item: -1", "write 0 or more"),
        ("history: 4", "history: 1000000000", "start.history"),
        ("size: int = 2", "size: int(0..99999999999999999999) = 2", "more than 15 digits"),
        ("size: int = 2", f"size: int = {'9' * 4000}", "more than 15 digits"),
        ("times: int\n", "times: int = 99999999999999999999\n", "more than 15 digits"),
        ("id: probe", f"id: {'p' * 70}", "it has 70 characters"),
        ("name: person", "name: person\n" + "".join(f"    a{n}: int = 0\n" for n in range(120)), "attributes"),
        ("      - item.size += 1\n", "      - item.size += 1\n" * 300, "statements"),
    ],
)
def test_what_there_is_too_much_of_is_told_with_its_place(old: str, new: str, told: str) -> None:
    assert old in blueprint()
    found = errors(blueprint().replace(old, new))
    assert any(told in error for error in found), found


# Expressions


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ("(" * 50 + "True" + ")" * 50, "brackets"),
        ("not " * 200 + "True", "deep"),
        ("1" + " + 1" * 3000 + " > 0", "too large"),
        ("-" * 3000 + "1 < 0", "deep"),
        ("1 < " + "9" * 400, "more than 15 digits"),
        (" and ".join(["True"] * 700), "too large"),
        (nested(7), "7 loops over all records"),
        (nested(12), "12 loops over all records"),
    ],
)
def test_an_expression_without_end_is_refused_and_told_why(rule: str, told: str) -> None:
    began = time.process_time()
    found = errors(blueprint(rule))
    assert any(told in error and "rule 2" in error for error in found), found
    assert time.process_time() - began < 5


def test_loops_that_hide_in_definitions_are_counted() -> None:
    define = '  "one(x: Item)": all(x.count <= a.count + 9 for a in Item)\n'
    define += '  "two(x: Item)": all(one(b) for b in Item if b.count >= x.count)\n'
    define += '  "three(x: Item)": all(two(c) for c in Item if c.count >= x.count)\n'
    found = errors(blueprint("all(three(d) and all(three(e) for e in Item if e == d) for d in Item)", define))
    assert found == []
    rule = "all(all(all(all(three(d) for d in Item if d == e) for e in Item if e == f) for f in Item if f == g) for g in Item)"
    assert any("7 loops" in error for error in errors(blueprint(rule, define)))


def test_loops_in_what_a_story_says_of_its_cast_are_counted() -> None:
    story = "stories:\n  busy:\n    cast:\n      - thing in Item if CAST\n    do:\n      - work(item=thing, times=1)\n    tell:\n"
    story += '      - "Please work on {thing}."\n'
    for loops in (6, 7):
        found = errors(blueprint() + story.replace("CAST", nested(loops)))
        assert any("story busy" in error and "loops over all records" in error for error in found) == (loops > 6), found


def test_definitions_that_double_in_each_other_are_refused_at_once() -> None:
    define = '  "d0(x: int)": x + 1\n' + "".join(
        f'  "d{n}(x: int)": d{n - 1}(x) + d{n - 1}(x + 1)\n' for n in range(1, 30)
    )
    began = time.process_time()
    found = errors(blueprint("d29(1) > 0", define))
    assert any("parts" in error for error in found), found
    assert time.process_time() - began < 5


@given(st.integers(1, 12))
def test_loops_are_refused_from_the_seventh_on(loops: int) -> None:
    assert bool(errors(blueprint(nested(loops)))) == (loops > 6)


# Numbers


@pytest.mark.parametrize(
    ("effect", "told"),
    [
        ("      - item.size = item.size * item.size", "faster with every call"),
        (
            "      - item.count = item.size * item.count\n      - item.size = item.count * item.size",
            "faster with every call",
        ),
        ("      - item.tags = item.tags + item.tags", "faster with every call"),
        (
            "      - let n = times\n      - for i in Item:\n          - set n = n * n\n      - item.count = n",
            "turn of a loop",
        ),
        (
            "      - let a = item.tags\n      - for i in Item:\n          - set a = a + a\n      - item.tags = a",
            "turn of a loop",
        ),
        (
            "      - let n = times\n" + "      - set n = n * n\n" * 12 + "      - item.small = 1",
            "factors are allowed",
        ),
    ],
)
def test_a_value_that_grows_faster_and_faster_is_refused(effect: str, told: str) -> None:
    found = errors(blueprint(effect=effect))
    assert any(told in error for error in found), found


@pytest.mark.parametrize(
    "effect",
    [
        "      - item.count = item.count + times * item.size",
        "      - item.small = item.small * item.small",
        "      - item.count = item.size * times\n      - item.tags = item.tags + [item.name]",
        "      - let n = 0\n      - for i in Item:\n          - set n = n + i.size * times\n      - item.count = n",
    ],
)
def test_sums_products_and_values_with_a_range_are_left_alone(effect: str) -> None:
    assert errors(blueprint(effect=effect)) == []


@pytest.mark.slow
def test_the_library_keeps_far_from_every_limit() -> None:
    for name, file in blueprint_files().items():
        assert check_blueprint(read_blueprint(file)).errors == [], name


# Time


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "SECONDS", 0.1)
    monkeypatch.setattr(deadline, "_TICK", 0.02)


SLOW = blueprint(nested(6))
WRITES = blueprint(
    effect="      - for i in Item:\n          - for j in Item:\n              - j.count += 1\n              - i.size += 1\n"
    "              - new Item(name='n', tags=[])\n"
)


@pytest.mark.usefixtures("hurried")
def test_a_call_whose_rules_do_not_end_is_ended_undone_and_says_which_rule() -> None:
    world = opened(SLOW, 40)
    before = world.state_hash()
    outcome = world.call("knock", {"item_id": "ITEM-00001", "times": 1})
    if outcome.kind == "done":
        outcome = world.call("work", {"item_id": "ITEM-00001", "times": 1})
    assert outcome.kind == "limited"
    assert "was ended after 0.1 seconds of work while it checked the rule 'Nothing is too large.'" in outcome.text
    assert world.diff().empty
    assert world.call("list_items", {}).kind == "done"
    assert world.state_hash() == before or world.state()["items"]["ITEM-00001"]["size"] == 3


@pytest.mark.usefixtures("hurried")
def test_a_call_that_is_ended_between_any_two_writes_leaves_the_world_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world, other = opened(WRITES, 60), opened(WRITES, 60)
    before = world.state_hash()
    chance = random.Random(7)
    for _ in range(4):
        monkeypatch.setattr(deadline, "SECONDS", chance.uniform(0.0, 0.05))
        monkeypatch.setattr(deadline, "_TICK", chance.uniform(0.001, 0.02))
        outcome = world.call("work", {"item_id": "ITEM-00001", "times": 1})
        assert outcome.kind == "limited", outcome
        assert world.state_hash() == before
        assert world.diff().empty
    call = ("knock", {"item_id": "ITEM-00002", "times": 1})
    monkeypatch.setattr(deadline, "SECONDS", 60.0)
    assert world.call(*call) == other.call(*call)
    assert world.state_hash() == other.state_hash()


@pytest.mark.usefixtures("hurried")
def test_only_the_call_that_is_overdue_is_ended() -> None:
    slow, quick = opened(SLOW, 40), opened(blueprint(), 3)
    outcomes: list[str] = []
    thread = threading.Thread(
        target=lambda: outcomes.append(slow.call("work", {"item_id": "ITEM-00001", "times": 1}).kind)
    )
    thread.start()
    kinds = set()
    while thread.is_alive():
        kinds.add(quick.call("work", {"item_id": "ITEM-00001", "times": 1}).kind)
    thread.join()
    assert outcomes == ["limited"]
    assert kinds == {"done"}


@pytest.mark.usefixtures("hurried")
def test_what_works_long_beside_worlds_is_left_alone() -> None:
    world = opened(blueprint(), 3)
    world.call("work", {"item_id": "ITEM-00001", "times": 1})
    began = time.process_time()
    while time.process_time() - began < 0.5:
        sum(range(1000))
    assert world.call("work", {"item_id": "ITEM-00001", "times": 1}).kind == "done"


@pytest.mark.usefixtures("hurried")
def test_an_author_is_told_which_rule_does_not_end(tmp_path: Path) -> None:
    file = tmp_path / "probe.yaml"
    file.write_text(SLOW.replace("Item: 3", "Item: 60"), encoding="utf-8")
    (report,) = check_blueprints([file])
    told = [str(problem) for problem in report.problems if problem.severity == "error"]
    assert any(
        "did not end within 0.1 seconds while it checked rule 2 (Nothing is too large.)" in one for one in told
    ), told


def test_a_history_that_takes_too_long_as_a_whole_names_what_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("envscaler_mcp.scenarios.growth.MOST_SECONDS", 0.0)
    made = synthesize(read_blueprint(blueprint(), "probe.yaml"), ("start",))
    with pytest.raises(GrowthError, match="most of them in base_item"):
        grow(made.model, load_class(made.nursery_source, made.nursery_class), SEED)


PILE = """  "pile(n: int)": "[a + n for a in range(0, 1000) for b in range(0, 90)]"
  "twice(n: int)": "pile(n) + pile(n)"
"""


@pytest.mark.parametrize(
    ("define", "core"),
    [
        ("", "len([a * b for a in range(0, 1000) for b in range(0, 1000)]) >= 0"),
        ("", "all(a * b + i.count >= 0 for a in range(0, 1000) for b in range(0, 1000))"),
        (PILE, "len(twice(i.count)) >= 0"),
        (
            '  "wide(n: int)": "[a + n for a in range(0, 1000)]"\n',
            "len([a * b for a in wide(0) for b in wide(1)]) >= 0",
        ),
    ],
    ids=["list", "all", "added", "defined"],
)
def test_ranges_inside_each_other_and_lists_made_of_them_are_bounded(define: str, core: str) -> None:
    text = blueprint(f"all({core} for i in Item)", define)
    assert any("come to" in one and "100,000 are allowed" in one for one in errors(text)), errors(text)
    assert errors(text.replace("1000", "30").replace("90", "3")) == []


BIG = """
id: heaps
title: Heaps
about: Heaps of things.
sector: other
entities:
  Thing:
    kind: one_of(a | b)
ATTRIBUTES
operations:
  heap:
    about: Make many.
    params: {}
    effect:
      - for i in range(0, 100):
          - for j in range(0, 400):
              - new Thing(kind='a')
    say: heap
  double:
    about: Make one more of each.
    params: {}
    effect:
      - for t in Thing:
          - new Thing(kind=t.kind)
    say: double
start:
  now: 2026-03-02T09:00
  days: 60
  records:
    Thing: 10
  history: 0
  daily:
    - STEP
""".replace("ATTRIBUTES", "\n".join(f"    a{number}: optional int(0..9)" for number in range(60)))


@pytest.mark.parametrize("step", ["heap()", "double()"])
def test_a_start_state_holds_so_many_values_however_they_are_made(step: str) -> None:
    made = synthesize(read_blueprint(BIG.replace("STEP", step), "heaps.yaml"), ("start",))
    with pytest.raises(GrowthError, match=r"came to hold more than 2,000,000 values, things among them"):
        grow(made.model, load_class(made.nursery_source, made.nursery_class), SEED)


PASSING = """  daily:
    - for p in Pledge:
        - lose(pledge=p)
        - STEP
"""


@pytest.mark.parametrize(
    "step",
    [
        "if p.status == 'running': [let_lapse(pledge=p)]",
        "for c in Clerk if c == p.clerk: [open_day(on=today)]",
        "let_lapse(pledge=p)",
    ],
)
def test_a_daily_step_that_speaks_of_a_record_that_its_pass_deleted_ends_the_pass(step: str) -> None:
    text = (Path(__file__).parent.parent / "blueprints" / "pawnshop.yaml").read_text(encoding="utf-8")
    lose = "  lose:\n    about: Lose a pledge.\n    params:\n      pledge: ref(Pledge)\n"
    lose += "    effect:\n      - delete pledge\n    say: lose it\n  redeem:\n"
    text = text.replace("  redeem:\n", lose, 1).replace("  daily:\n", PASSING.replace("- STEP", f"- {{{step}}}"), 1)
    made = synthesize(read_blueprint(text.replace(f"{{{step}}}", _block(step)), "pawnshop.yaml"), ("start",))
    state = grow(made.model, load_class(made.nursery_source, made.nursery_class), SEED)
    assert state.played["lose"] > 0


def _block(step: str) -> str:
    head, _, inner = step.partition(": [")
    return f"{head}:\n            - {inner.rstrip(']')}" if inner else step


def test_a_history_that_begins_before_the_calendar_is_refused_in_words() -> None:
    text = BIG.replace("    - STEP", "    - double()").replace("now: 2026", "now: 0001").replace("days: 60", "days: 90")
    made = synthesize(read_blueprint(text, "heaps.yaml"), ("start",))
    with pytest.raises(
        GrowthError, match=r"start\.days reaches back 90 days from 0001-03-02T09:00, before the calendar"
    ):
        grow(made.model, load_class(made.nursery_source, made.nursery_class), SEED)
