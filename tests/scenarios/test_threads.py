"""A thread tells a story so that it can be solved by reading, and solves it that way."""

from __future__ import annotations

import pytest

from envscaler_mcp.artifacts import Call, Span
from envscaler_mcp.language.expressions import Expr
from envscaler_mcp.language.interpreter.evaluation import Evaluator
from envscaler_mcp.language.interpreter.store import Store
from envscaler_mcp.language.stories import Worked
from envscaler_mcp.sampling import Chance
from envscaler_mcp.scenarios.threads import Thread, Threading, Unfit
from tests.scenarios.lending import STORIES, Lending, lending, story


def text(thread: Thread) -> str:
    return "".join(span.text for span in thread.spans)


def calls(thread: Thread) -> list[str]:
    return [call.tool for call in thread.calls]


def it(cast: str, do: str, tell: str) -> Lending:
    return lending(story(cast, do, tell))


def ids(value: object) -> set[str]:
    if isinstance(value, dict):
        return set().union(*(ids(inner) for inner in value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*(ids(inner) for inner in value)) if value else set()
    return {value} if isinstance(value, str) and value[-5:].isdigit() and value[-6:-5] == "-" else set()


# Words


@pytest.mark.parametrize(
    ("cast", "do", "tell", "reason"),
    [
        (
            "l in Loan; much from claim.total",
            "claim(loan=l, total=much)",
            "Claim something for {l}.",
            "much is not said",
        ),
        (
            "l in Loan if l.reader.name == 'Ann Ash'; r = l.reader",
            "take_back(loan=l)",
            "Take back what {r} has.",
            "l is not said so that no other fits",
        ),
        ("r in Reader", "block(reader=r)", "Block {r:short}.", "r is called by its short name before its full one"),
        (
            "l in Loan",
            "c = claim(loan=l, total=100)",
            "Claim $1 for {l}, which is {c}.",
            "c is told before it is there",
        ),
        ("r in Reader if r.blocked", "block(reader=r)", "Block {r}.", "block is refused: Bob Cole is blocked already."),
        (
            "c in Claim; l = c.loan",
            "drop_claim(claim=c); claim(loan=c.loan, total=100)",
            "Claim $1 instead for {l}.",
            "it reads a record that is gone by then; work that out in the cast",
        ),
        (
            "r in Reader; b = first([k.books for k in Basket if k.reader == r])",
            "fill_basket(reader=r, books=b)",
            "Fill another basket for {r} as before.",
            "no read shows every Basket that decides it: under 'derive', give it a list or a find",
        ),
    ],
    ids=["a value", "a record", "a short name", "what will be made", "a refusal", "what is gone", "what no read shows"],
)
def test_a_story_that_cannot_be_told_or_solved_says_why(cast: str, do: str, tell: str, reason: str) -> None:
    place = it(cast, do, tell)
    world = place.world(BASKET_00001={"reader_id": "READER-00001", "book_ids": ["BOOK-00001"]})
    fit = next(seed for seed in range(20) if place.cast("it", seed, world.state()) is not None)
    with pytest.raises(Unfit) as told:
        place.thread("it", world, fit)
    assert str(told.value) == reason


def test_a_record_need_not_be_said_where_what_is_said_leaves_no_other() -> None:
    by_its_book = it("l in Loan if l.status == 'out'; b = l.book", "take_back(loan=l)", "{b} is back.")
    thread = by_its_book.thread("it", by_its_book.world(), 1)
    assert text(thread).endswith(" is back.")
    # It is found among the loans of what was named.
    assert thread.reads[-1].tool == "list_loans"
    assert thread.reads[-1].arguments == {"book_id": thread.names["b"].id}
    by_one_of_several = it(
        "l in Loan if l.reader.name == 'Ann Ash'; r = l.reader", "block(reader=r)", "Block {r}, who has a book of ours."
    )
    assert calls(by_one_of_several.thread("it", by_one_of_several.world())) == ["list_readers", "block"]


def test_somebody_is_called_by_the_first_name_once_they_were_named_in_full() -> None:
    place = it(
        "r in Reader if r.name == 'Bob Cole'", "unblock(reader=r)", "{r} paid. {r} may borrow, so unblock {r:short}."
    )
    assert text(place.thread("it", place.world())) == "Bob Cole paid. Bob may borrow, so unblock Bob."


def test_two_people_with_one_first_name_keep_their_full_names() -> None:
    cast = "r in Reader if r.name == 'Ann Ash'; s in Reader if s.name == 'Ann Birch'"
    place = it(cast, "block(reader=r); block(reader=s)", "{r} and {s} fell out. Block {r} and {s:short}.")
    told = "Ann Ash and Ann Birch fell out. Block Ann Ash and Ann Birch."
    assert text(place.thread("it", place.world())) == told


def test_what_is_told_of_a_record_is_marked_as_a_fact_and_plain_words_are_not() -> None:
    place = it(
        "r in Reader if r.blocked; n = r.holds", "unblock(reader=r)", "{r} has {n} and {n:number}; {r.name:quoted}."
    )
    thread = place.thread("it", place.world())
    assert thread.spans[1] == Span(text=" has ")
    assert [span.text for span in thread.spans if span.fact] == ["Bob Cole", "one", "1", "“Bob Cole”"]


# Reads


def test_every_id_that_a_call_names_comes_from_an_answer() -> None:
    place = lending()
    for name in place.speech.stories:
        for seed in range(6):
            world = place.world()
            thread = place.thread(name, world, seed)
            world = place.world()
            heard: set[str] = set()
            for call in thread.calls:
                assert ids(call.arguments) <= heard, (name, call)
                outcome = world.call(call.tool, call.arguments)
                assert outcome.kind == "done"
                heard |= ids(outcome.payload)


def shown(place: Lending, reads: list[Call]) -> dict[str, object]:
    """The start with only those records that the reads show."""
    world = place.world()
    heard = set().union(*(ids(world.call(call.tool, call.arguments).payload) for call in reads))
    state = place.state()
    kept = {
        container: {key: record for key, record in records.items() if key in heard}
        for container, records in state.items()
        if isinstance(records, dict) and container != "counters"
    }
    return {**state, **kept}


CHEAPEST = "first([b for b in Book if is_in(b)], by=(b.price, b.title))"


@pytest.mark.parametrize(
    ("what", "reads"),
    [
        (CHEAPEST, ["list_books", "list_loans"]),
        ("first([b for b in Book if not b.lent], by=b.price)", ["list_books"]),
        ("first([b for b in Book if b.shelf.room == 'cellar'], by=b.price)", ["list_books", "list_shelves"]),
        ("first([l.book for l in Loan if l.reader == r and l.status == 'out'])", ["list_loans"]),
        ("first([b for b in Book if count(Loan, book=b) == 0])", ["list_books", "list_loans"]),
        ("first([b for b in Book if b.title == 'Walden'])", ["list_books"]),
    ],
)
def test_what_is_read_decides_a_superlative(what: str, reads: list[str]) -> None:
    cast = f"r in Reader if r.name == 'Ann Ash'; b = {what}"
    place = it(cast, "fill_basket(reader=r, books=[b])", "Put what we spoke of aside for {r}.")
    thread = place.thread("it", place.world())
    assert calls(thread) == ["list_readers", *reads, "fill_basket"]
    role = place.speech.stories["it"].cast[1]
    assert isinstance(role, Worked)
    value: Expr = role.value
    if "lent" not in what:
        on_what_is_shown = Evaluator(Store(place.model, shown(place, thread.reads))).value(value, thread.names)
        assert on_what_is_shown == thread.names["b"]


def test_a_read_is_narrowed_by_what_the_loop_asks_and_that_is_known() -> None:
    cast = "r in Reader if r.name == 'Ann Ash'; ls = [l for l in Loan if l.reader == r and l.status == 'out']"
    place = it(cast, "for l in ls:\n          - take_back(loan=l)", "Everything of {r} is back.")
    thread = place.thread("it", place.world())
    assert thread.reads[1].arguments == {"reader_id": "READER-00001", "status": "out"}
    assert [call.arguments for call in thread.acts] == [{"loan_id": "LOAN-00001"}, {"loan_id": "LOAN-00002"}]


def test_every_page_is_read_of_what_fills_several() -> None:
    place = it(
        f"r in Reader if r.blocked; b = {CHEAPEST}",
        "unblock(reader=r); lend(reader=r, book=b, due_at=now + 60)",
        "{r}.",
    )
    more = {f"BOOK_{n:05}": {"title": f"T{n}", "shelf_id": "SHELF-00001", "price": 1000 - n} for n in range(6, 120)}
    more |= {"BOOK_00119": {"title": "Zola", "shelf_id": "SHELF-00001", "price": 5}}
    thread = place.thread("it", place.world(**more))
    offsets = [call.arguments.get("offset") for call in thread.reads if call.tool == "list_books"]
    assert offsets == [None, 50, 100]
    assert thread.names["b"].id == "BOOK-00119"


def test_a_record_with_a_total_of_its_own_is_read_once() -> None:
    place = it(
        "l in Loan if l.status == 'back'",
        "c = claim(loan=l, total=7000); unblock(reader=c.loan.reader)",
        "Claim $70 for {l} and let them borrow again.",
    )
    thread = place.thread("it", place.world())
    assert calls(thread)[-3:] == ["claim", "get_claim", "unblock"]


# Deeds


def test_a_branch_goes_by_what_is_found() -> None:
    place = lending(STORIES)
    for blocked, done in ((True, "unblock"), (False, "block")):
        world = place.world(**{f"READER_0000{n}": {"blocked": blocked} for n in (1, 2, 3, 4)})
        thread = place.thread("let_in_again", world)
        assert calls(thread) == ["list_readers", done]
        assert thread.forks == [(0, blocked)]


def test_what_a_change_may_have_altered_is_read_again_before_a_branch() -> None:
    cast = "r in Reader if r.name == 'Ann Ash'; l = first(l for l in Loan if l.reader == r and l.status == 'out')"
    do = "take_back(loan=l)\n      - if l.status == 'back':\n          - claim(loan=l, total=100)\n        else:\n          - block(reader=r)"
    thread = it(cast, do, "Take back the first loan of {r} and claim a dollar.").thread("it", lending().world())
    assert calls(thread) == ["list_readers", "list_loans", "take_back", "get_loan", "claim"]


def test_a_loop_does_it_for_each_and_reads_which_they_are() -> None:
    place = lending(STORIES)
    for seed in range(6):
        thread = place.thread("clears_up", place.world(), seed)
        stood = [key for key, book in place.start["books"].items() if book["shelf_id"] == thread.names["shelf"].id]
        assert [call.arguments["book_id"] for call in thread.acts] == stood
        assert thread.reads[-1] == Call(tool="list_books", arguments={"shelf_id": thread.names["shelf"].id})


def test_a_record_that_is_made_is_named_in_later_calls() -> None:
    place = lending(STORIES)
    thread = place.thread("gets_worse", place.world())
    lent, claimed = thread.acts
    assert lent.tool == "lend"
    assert claimed.arguments["loan_id"] == "LOAN-00005"


def test_the_words_are_a_request_and_nothing_else_is_changed_by_telling_them() -> None:
    place = lending(STORIES)
    world = place.world()
    before = world.snapshot()
    thread = place.thread("comes_back", world)
    diff = world.diff_since(before)
    assert set(diff.changed) == {"loans", "books"}
    assert not diff.created
    assert not ids(text(thread).split())


# Again, after others


def again(place: Lending, thread: Thread, **changes: object) -> Thread:
    threading = Threading(place.model, place.speech, Chance(0, "again"))
    return threading.again(thread, place.world(**changes))


def test_a_thread_is_unfit_where_its_words_have_come_to_mean_something_else() -> None:
    place = it(f"r in Reader if r.name == 'Ann Ash'; b = {CHEAPEST}", "fill_basket(reader=r, books=[b])", "{r}.")
    thread = place.thread("it", place.world())
    assert calls(again(place, thread)) == calls(thread)
    with pytest.raises(Unfit, match="b is another by then"):
        again(place, thread, BOOK_00002={"price": 1})
    with pytest.raises(Unfit, match="'Ann Ash' means something else by then"):
        again(place, thread, READER_00002={"name": "Ann Ash"})
