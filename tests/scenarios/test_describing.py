"""A record is described in words that fit no other, and in words that people use."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.scenarios.lending import WORDS, lending

TITLES = ("Emma", "Ulysses", "Walden")
SHELVES = ("SHELF-00001", "SHELF-00002", "SHELF-00003")


@given(
    books=st.lists(st.tuples(st.sampled_from(TITLES), st.sampled_from(SHELVES)), min_size=5, max_size=5),
    loans=st.lists(
        st.tuples(
            st.sampled_from(("READER-00001", "READER-00002", "READER-00003")),
            st.integers(1, 5),
            st.sampled_from(("out", "back")),
        ),
        min_size=4,
        max_size=4,
    ),
    seed=st.integers(0, 50),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_two_records_of_any_state_have_the_same_words(
    books: list[tuple[str, str]], loans: list[tuple[str, int, str]], seed: int
) -> None:
    place = lending()
    changes: dict[str, dict[str, object]] = {
        f"BOOK_{n:05}": {"title": title, "shelf_id": shelf} for n, (title, shelf) in enumerate(books, start=1)
    }
    for n, (reader, book, status) in enumerate(loans, start=1):
        changes[f"LOAN_{n:05}"] = {"reader_id": reader, "book_id": f"BOOK-{book:05}", "status": status}
    state = place.state(**changes)
    describer = place.describer(state, seed)
    keys = [key for container in ("readers", "shelves", "books", "loans") for key in state[container]]
    phrases = [phrase for key in keys if (phrase := describer.describe(place.ref(key))) is not None]
    texts = [phrase.text for phrase in phrases]
    assert len(set(texts)) == len(texts)
    assert all(describer.fitting(phrase.form, phrase.ref) == [phrase.ref] for phrase in phrases)


def test_what_two_records_share_is_described_further_and_twins_are_not_described() -> None:
    place = lending()
    assert {str(place.describer(seed=n).describe(place.ref("BOOK-00001")).text) for n in range(9)} == {  # type: ignore[union-attr]
        "Emma from shelf A1"
    }
    twins = place.state(BOOK_00002={"shelf_id": "SHELF-00001"})
    assert place.describer(twins).describe(place.ref("BOOK-00001")) is None


def test_a_mark_without_words_is_silent_and_a_mark_with_words_is_spoken() -> None:
    place = lending()
    texts = {}
    for key in ("LOAN-00003", "LOAN-00004"):
        phrase = place.describer(seed=1).describe(place.ref(key))
        assert phrase is not None
        texts[key] = phrase.text.removesuffix(" from shelf B2")
        assert {span.fact.partition(".")[2] for span in phrase.spans if span.fact} >= {"name"}
        (loans,) = [call for call in phrase.reads if call.tool == "list_loans"]
        assert loans.arguments["status"] == ("out" if key == "LOAN-00003" else "back")
    assert texts == {"LOAN-00003": "Bob Cole's loan of Walden", "LOAN-00004": "Bob Cole's ended loan"}


def test_an_ended_loan_is_no_loan_that_is_out() -> None:
    place = lending()
    (out, ended) = place.speech.descriptions["Loan"]
    describer = place.describer()
    assert describer.fitting(out, place.ref("LOAN-00004")) == []
    assert describer.fitting(ended, place.ref("LOAN-00004")) == [place.ref("LOAN-00004")]


@pytest.mark.parametrize(
    ("named", "text"),
    [
        ((), "Bob Cole's ended loan"),
        (("READER-00003",), "their ended loan"),
        (("READER-00003", "READER-00001"), "Bob Cole's ended loan"),
        (("READER-00003", "SHELF-00001"), "their ended loan"),
    ],
    ids=["nobody", "only who owns it", "two people", "who owns it and a thing"],
)
def test_somebody_is_their_only_where_nobody_else_was_named(named: tuple[str, ...], text: str) -> None:
    place = lending()
    describer = place.describer()
    describer.named |= {place.ref(key) for key in named}
    phrase = describer.describe(place.ref("LOAN-00004"))
    assert phrase is not None
    assert phrase.text == text


def test_distractors_are_those_that_miss_one_mark_or_share_a_word_of_a_name() -> None:
    place = lending()

    def near(key: str) -> int:
        phrase = place.describer(seed=1).describe(place.ref(key))
        assert phrase is not None
        return phrase.distractors

    assert {key: near(key) for key in ("READER-00001", "READER-00003")} == {"READER-00001": 1, "READER-00003": 0}
    # The other Emma; the other book on its shelf and none of that title.
    assert near("BOOK-00001") == 1
    # Ulysses stands on its shelf, Emma has its title.
    assert near("BOOK-00002") == 2


def test_a_derived_attribute_tells_apart_and_its_words_are_those_of_the_trade() -> None:
    words = """\
words:
  records:
    Book: "the {lent} {title}{shelf=x:}"
  values:
    Book.lent.True: borrowed
    Book.lent.False: idle
""".replace("{shelf=x:}", "")
    place = lending(words=words)
    told = [place.describer().describe(place.ref(f"BOOK-0000{n}")) for n in (1, 2, 3)]
    assert [phrase and phrase.text for phrase in told] == ["the borrowed Emma", "the idle Emma", "the borrowed Ulysses"]


def test_a_first_word_tells_apart_only_whose_first_word_it_is() -> None:
    place = lending(words=WORDS + '    Reader: "{name:short}"\n')
    told = [place.describer().describe(place.ref(f"READER-0000{n}")) for n in (1, 2, 3, 4)]
    assert [phrase and phrase.text for phrase in told] == [None, None, "Bob", "Cy"]


def test_a_day_tells_apart_by_the_day_alone() -> None:
    place = lending(words='words:\n  records:\n    Loan: "what is due on {due_at:day}"\n')
    told = [place.describer().describe(place.ref(f"LOAN-0000{n}")) for n in (1, 2, 3)]
    assert [phrase and phrase.text for phrase in told] == [None, None, "what is due on 15 February"]


def test_what_no_read_shows_is_not_described() -> None:
    words = 'words:\n  records:\n    Basket: "{reader}\'s basket"\n'
    place = lending(words=words)
    state = place.state(BASKET_00001={"reader_id": "READER-00001", "books": []})
    assert place.describer(state).describe(place.ref("BASKET-00001")) is None
