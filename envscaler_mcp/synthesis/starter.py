"""A small blueprint that works and has tasks, for an author to change: members borrow games."""

from __future__ import annotations

STARTER = """\
# {title}. Change it bit by bit, and after each bit: envscaler blueprint check {id}.yaml
id: {id}
title: {title}
about: Lends games to members for up to two weeks.
sector: {sector}

# Entities are the trade's records. Attributes: text, int, money, date, bool, one_of, states, ref and others;
# one that begins with = is worked out and never stored.
entities:
  Game:
    name: unique text
    kind: one_of(board_game | card_game | dice_game)
    fee: money(50..500)
    condition: states(complete > incomplete; incomplete > complete)
    lent: = any(n.returned_on is None for n in Loan if n.game == self)
  Member:
    name: unique person
    joined: fixed date
    suspended: bool = false
    open_loans: = count(n for n in Loan if n.member == self and n.returned_on is None)
  Loan:
    member: fixed ref(Member)
    game: fixed ref(Game)
    lent_on: fixed date
    due_on: date
    returned_on: optional date

# Rules hold after every operation, whichever it is; the text is what an agent is told.
rules:
  - text: A game is lent to one member at a time.
    holds: unique(n.game for n in Loan if n.returned_on is None)
  - text: A member has at most three open loans.
    holds: all(m.open_loans <= 3 for m in Member)
  - text: A loan lasts at most two weeks.
    holds: all(n.lent_on < n.due_on <= n.lent_on + 14 for n in Loan)

# Operations are what people of the trade do. Guards first (condition | sentence when it does not hold), then effects.
operations:
  lend_game:
    about: Lend a game to a member from today on.
    params:
      member: ref(Member)
      game: ref(Game)
      for_days: int(1..14)
    help:
      for_days: Days after which the game is due
    require:
      - not member.suspended | {{member.name}} is suspended.
      - member.open_loans < 3 | {{member.name}} already has three open loans.
      - game.condition == 'complete' | {{game.name}} is {{game.condition}}.
      - not game.lent | {{game.name}} is lent already.
    effect:
      - new Loan(member, game, lent_on=today, due_on=today + for_days)
    say: lend {{game}} to {{member}} for {{for_days}} days
  return_game:
    about: Take a lent game back today, complete or with pieces missing.
    params:
      loan: ref(Loan)
      pieces_missing: bool = false
    help:
      pieces_missing: Whether pieces were missing when it came back
    require:
      - loan.returned_on is None | {{loan.game.name}} was returned on {{loan.returned_on}}.
    effect:
      - loan.returned_on = today
      - if pieces_missing and loan.game.condition == 'complete':
          - loan.game.condition = 'incomplete'
    say: take {{loan.game}} back from {{loan.member}}
  complete_game:
    about: Put the missing pieces back into a game.
    params:
      game: ref(Game)
    require:
      - game.condition == 'incomplete' | Nothing is missing in {{game.name}}.
    effect:
      - game.condition = 'complete'
    say: complete {{game}}
  suspend_member:
    about: Suspend a member or lift the suspension.
    params:
      member: ref(Member)
      suspended: bool
    help:
      suspended: Whether the member may borrow nothing from now on
    require:
      - member.suspended != suspended | Nothing would change for {{member.name}}.
    effect:
      - member.suspended = suspended
    say: set the suspension of {{member}} to {{suspended}}

# Reads follow from the entities (get and list unless `derive` says otherwise); these are questions of the trade.
queries:
  overdue_loans:
    about: Open loans that should have been returned before today.
    find: n in Loan
    where:
      - n.returned_on is None
      - n.due_on < today
    by: [n.due_on]

# How a plausible start state is grown: base records, then a history of the operations above.
start:
  records:
    Game: 24
    Member: 14
  history: 80
  play:
    lend_game: 6
    return_game: 4
  values:
    Game.name, kind: >-
      Backgammon, board_game | Chess, board_game | Draughts, board_game | Go, board_game | Halma, board_game |
      Ludo, board_game | Mancala, board_game | Merels, board_game | Pachisi, board_game | Shogi, board_game |
      Canasta, card_game | Crazy Eights, card_game | Hearts, card_game | Old Maid, card_game | Piquet, card_game |
      Rummy, card_game | Snap, card_game | Whist, card_game | Crown and Anchor, dice_game | Farkle, dice_game |
      Hazard, dice_game | Pig, dice_game | Shut the Box, dice_game | Yacht, dice_game
    Member.joined: 2019-01-01..2025-12-31
    return_game.pieces_missing: false | false | false | true
    suspend_member.suspended: false | true

# Tasks are written from stories: who and what it is about, the calls that solve it, and how people ask for it.
stories:
  pieces_missing:
    cast:
      - loan in Loan if loan.returned_on is None and not loan.member.suspended
      - borrower = loan.member
      - game = loan.game
    do:
      - return_game(loan=loan, pieces_missing=True)
      - suspend_member(member=borrower, suspended=True)
    tell:
      - "{{borrower}} just brought {{game}} back, and pieces are missing. Take it back as that, and suspend {{borrower:short}} until we have talked."
      - "{{game}} is back from {{borrower}}, with pieces missing. Note the return like that, and no more loans for {{borrower:short}}: suspended."
      - "Please enter the return of {{game}} by {{borrower}}. Pieces are missing, which is why {{borrower:short}} is suspended from today."
  game_night:
    cast:
      - member in Member if member.open_loans < 3
      - game in Game if not game.lent
      - for_days from lend_game.for_days in 2 | 3 | 7
    do:
      - if member.suspended:
          - suspend_member(member=member, suspended=False)
      - if game.condition == 'incomplete':
          - complete_game(game=game)
      - lend_game(member=member, game=game, for_days=for_days)
    tell:
      - "{{member}} would like to borrow {{game}} for {{for_days}} days, from today. If pieces are missing, put them back first, and if {{member:short}} is suspended, lift that."
      - "Lend {{member}} {{game}}, {{for_days}} days from today. Should {{member:short}} be suspended, end that; should the game be incomplete, complete it first."
      - "{{member}} has a game night and asks for {{game}}, for {{for_days}} days from today. Complete the game first if it is not, and a suspension of {{member:short}} ends today."
  moving_away:
    cast:
      - member in Member if not member.suspended
      - theirs = [n for n in Loan if n.member == member and n.returned_on is None]
    do:
      - for n in theirs:
          - return_game(loan=n)
      - suspend_member(member=member, suspended=True)
    tell:
      - "{{member}} is moving away and has brought everything back, {{len(theirs):number}} games, all complete. Take them back, and suspend {{member:short}} so that nothing more is lent."
      - "Take back the {{len(theirs):number}} games that {{member}} still had; all are complete. Then suspend {{member:short}}, who is leaving town."
  all_back:
    cast:
      - late = [n for n in Loan if n.returned_on is None and n.due_on < today]
    do:
      - for n in late:
          - return_game(loan=n)
    tell:
      - "Whatever was due before today came back this morning, all of it complete: {{len(late):number}} games. Take them back."
      - "A whole crate came back: every game that was due before today, {{len(late):number}} of them, nothing missing. Enter the returns."
"""


def starter_blueprint(id_: str, sector: str) -> str:
    """The text of a blueprint that checks, compiles and has tasks as it stands."""
    return STARTER.format(id=id_, sector=sector, title=id_.replace("_", " ").capitalize())
