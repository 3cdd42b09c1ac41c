"""A small lending library whose records are known one by one, and what is told in it."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from envscaler_mcp.artifacts import Environment, State
from envscaler_mcp.language import Model, read_blueprint
from envscaler_mcp.language.interpreter.evaluation import Names
from envscaler_mcp.language.interpreter.steady import SteadyEvaluator
from envscaler_mcp.language.interpreter.store import Ref, Store
from envscaler_mcp.language.stories import Storybook
from envscaler_mcp.sampling import Chance
from envscaler_mcp.scenarios import TaskMaker, grow
from envscaler_mcp.scenarios.casting import Casting
from envscaler_mcp.scenarios.describing import Describer
from envscaler_mcp.scenarios.knowledge import Library
from envscaler_mcp.scenarios.threads import Thread, Threading
from envscaler_mcp.serving.code import EnvironmentCode, load_class
from envscaler_mcp.serving.world import LocalWorld, open_world
from envscaler_mcp.synthesis import synthesize

TRADE = """\
id: lending
title: Lending library
about: Lends books to readers.
sector: tests
entities:
  Reader:
    name: person
    blocked: bool = false
    holds: = len(loans_of(self))
  Shelf:
    code: unique text
    room: one_of(hall | cellar)
  Book:
    title: text
    shelf: ref(Shelf)
    price: money(0..90000)
    lent: = any(l for l in Loan if l.book == self and l.status == 'out')
  Loan:
    reader: fixed ref(Reader)
    book: fixed ref(Book)
    due_at: datetime
    note: optional text
    status: states(out > back)
  Claim:
    loan: fixed ref(Loan)
    total: money(0..90000)
    paid: bool = false
  Basket:
    reader: fixed ref(Reader)
    books: list(ref(Book))
define:
  "loans_of(r: Reader)": "[l for l in Loan if l.reader == r and l.status == 'out']"
  "is_in(b: Book)": none(l for l in Loan if l.book == b and l.status == 'out')
rules:
  - text: A book is lent to one reader at a time.
    holds: unique(l.book for l in Loan if l.status == 'out')
operations:
  lend:
    about: Lend a book.
    params:
      reader: ref(Reader)
      book: ref(Book)
      due_at: datetime
      note: optional text
    require:
      - not reader.blocked | {reader} is blocked.
      - is_in(book) | {book} is lent already.
    effect:
      - new Loan(reader, book, due_at, note)
    say: lend {book} to {reader}
  take_back:
    about: Take a book back.
    params:
      loan: ref(Loan)
    require:
      - loan.status == 'out' | It is back already.
    effect:
      - loan.status = 'back'
    say: take {loan.book} back
  move_book:
    about: Put a book on another shelf.
    params:
      book: ref(Book)
      shelf: ref(Shelf)
    require:
      - book.shelf != shelf | {book} is there already.
    effect:
      - book.shelf = shelf
    say: move {book} to {shelf}
  claim:
    about: Claim an amount for a loan.
    params:
      loan: ref(Loan)
      total: money(0..90000)
    effect:
      - new Claim(loan, total)
    say: claim {total}
  drop_claim:
    about: Drop a claim.
    params:
      claim: ref(Claim)
    effect:
      - delete claim
    say: drop the claim
  block:
    about: Block a reader.
    params:
      reader: ref(Reader)
    require:
      - not reader.blocked | {reader} is blocked already.
    effect:
      - reader.blocked = True
    say: block {reader}
  unblock:
    about: Let a reader borrow again.
    params:
      reader: ref(Reader)
    require:
      - reader.blocked | {reader} is not blocked.
    effect:
      - reader.blocked = False
    say: let {reader} borrow again
  fill_basket:
    about: Put books aside for a reader.
    params:
      reader: ref(Reader)
      books: list(ref(Book))
    require:
      - len(books) > 0 and unique(b for b in books) | Name each book once.
    effect:
      - new Basket(reader, books)
    say: put {books} aside for {reader}
derive:
  Shelf: [list]
  Claim: [get, list]
  Basket: []
start:
  records: {Reader: 4, Shelf: 3, Book: 5, Loan: 4, Claim: 1}
  history: 0
  values:
    Reader.name, blocked: Ann Ash, false | Ann Birch, false | Bob Cole, true | Cy Dorn, false
    Shelf.code, room: A1, hall | B1, cellar | B2, cellar
    Book.title, shelf, price: Emma, A1, 1200 | Emma, B1, 900 | Ulysses, B1, 3000 | Walden, B2, 700 | Dracula, B2, 700
    Loan.reader, book, due_at, note, status: >-
      Ann Ash, Emma, 2026-03-06T18:00, none, out |
      Ann Ash, Ulysses, 2026-03-06T12:00, gift, out |
      Bob Cole, Walden, 2026-02-15T18:00, none, out |
      Bob Cole, Dracula, 2026-01-19T18:00, gift, back
    Claim.total: 500
    lend.due_at: today+14T18:00 | today+28T18:00
    lend.note: fragile | signed by the author
    claim.total: 300 | 700
"""
WORDS = """\
words:
  records:
    Shelf: "shelf {code}"
    Book:
      - "{title}"
      - "{title} from {shelf}"
    Loan:
      - "{reader}'s{status=out:} loan of {book}"
      - "{reader}'s{status=back: ended} loan"
"""

STORIES = """\
  comes_back:
    cast:
      - loan in Loan if loan.status == 'out' and not loan.reader.blocked
      - shelf in Shelf if shelf != loan.book.shelf
    do:
      - take_back(loan=loan)
      - move_book(book=loan.book, shelf=shelf)
    tell:
      - "{loan.reader} has brought something back: {loan} is over. From now on the book stands on {shelf}."
      - "Here is what {loan.reader} had. Please end {loan} and put the book on {shelf}."
  gets_worse:
    cast:
      - reader in Reader if not reader.blocked and len(loans_of(reader)) == 0
      - total from claim.total
      - due from lend.due_at
      - book = first([b for b in Book if is_in(b)], by=(b.price, b.title))
    do:
      - loan = lend(reader=reader, book=book, due_at=due)
      - claim(loan=loan, total=total)
    tell:
      - "{reader} wants the cheapest book that is in, the first by title, until {due}, and leaves {total} for it."
      - "Until {due}, {reader} gets the cheapest book nobody has, by title if several cost the same. Claim {total} for it."
  clears_up:
    cast:
      - shelf in Shelf
      - other in Shelf if other != shelf
    do:
      - for b in Book if b.shelf == shelf:
          - move_book(book=b, shelf=other)
    tell:
      - "All books from {shelf} go to {other}."
      - "{shelf} is to be empty. Take whatever stands there to {other}."
  let_in_again:
    cast:
      - reader in Reader
    do:
      - if reader.blocked:
          - unblock(reader=reader)
        else:
          - block(reader=reader)
    tell:
      - "Turn it round for {reader}: blocked if that is not so, and free to borrow if it is."
      - "{reader} should be let in again where blocked, and blocked otherwise."
"""


@dataclass(frozen=True)
class Lending:
    """The library compiled, with its speech."""

    model: Model
    speech: Storybook
    environment: Environment
    code: EnvironmentCode
    start: dict[str, Any]

    def world(self, **changes: Any) -> LocalWorld:
        """A world at the start, with some records otherwise: `READER_00001={"blocked": True}`; None takes one away."""
        return open_world(self.code, self.state(**changes), 7)

    def state(self, **changes: Any) -> dict[str, Any]:
        state = copy.deepcopy(self.start)
        for name, fields in changes.items():
            key = name.replace("_", "-")
            records = state[self.container(key)]
            if fields is None:
                del records[key]
            else:
                records[key] = {**records.get(key, {"id": key}), **fields}
        return state

    def container(self, key: str) -> str:
        return next(e.container for e in self.model.entities.values() if key.startswith(f"{e.prefix}-"))

    def ref(self, key: str) -> Ref:
        return next(Ref(e.name, key) for e in self.model.entities.values() if key.startswith(f"{e.prefix}-"))

    def describer(self, state: dict[str, Any] | None = None, seed: int = 0) -> Describer:
        words = self.model.blueprint.words.values
        whole = state if state is not None else self.start
        return Describer(
            self.model,
            self.speech,
            Library(self.model),
            SteadyEvaluator(Store(self.model, whole)),
            Chance(seed, "words"),
            words,
        )

    def cast(self, story: str, seed: int = 0, state: dict[str, Any] | None = None, taken: str = "") -> Names | None:
        whole = state if state is not None else self.start
        others = {self.ref(key) for key in taken.split()}
        at_rest = SteadyEvaluator(Store(self.model, whole))
        return Casting(self.model).cast(self.speech.stories[story], at_rest, Chance(seed, "cast"), others)

    def thread(self, story: str, world: LocalWorld, seed: int = 0, telling: int = 0) -> Thread:
        names = self.cast(story, seed, world.state())
        assert names is not None, f"nobody for {story}"
        told = self.speech.stories[story]
        return Threading(self.model, self.speech, Chance(seed, "told")).thread(told, names, world, telling)

    def maker(self, seed: int = 5) -> TaskMaker:
        return TaskMaker(self.model, self.speech, self.environment, self.code, seed)

    def named_state(self) -> State:
        return State(environment=self.environment.id, name="start", seed=7, content=self.start)


@cache
def lending(stories: str = STORIES, words: str = WORDS) -> Lending:
    made = synthesize(read_blueprint(f"{TRADE}{words}stories:\n{stories}", "lending.yaml"), ("start",))
    nursery = load_class(made.nursery_source, made.nursery_class)
    code = EnvironmentCode.of(made.environment, made.source, "compiled")
    return Lending(made.model, made.speech, made.environment, code, grow(made.model, nursery, 7).content)


def story(cast: str, do: str, tell: str) -> str:
    """One story called `it`, its lines separated by semicolons."""

    def lines(text: str) -> str:
        return "".join(f"      - {line.strip()}\n" for line in text.split(";"))

    return f"  it:\n    cast:\n{lines(cast)}    do:\n{lines(do)}    tell:\n      - {json.dumps(tell)}\n"
