"""A small blueprint that works, for an author to change: members borrow tools."""

from __future__ import annotations

STARTER = """\
# {title}. Change it bit by bit, and after each bit: envscaler blueprint check {id}.yaml
id: {id}
title: {title}
about: Lends tools to members for up to two weeks.
sector: {sector}

# Entities are the trade's records. Attributes: text, int, money, date, bool, one_of, states, ref and others;
# one that begins with = is worked out and never stored.
entities:
  Tool:
    name: unique text
    kind: one_of(hand_tool | power_tool | ladder)
    daily_fee: money(50..2000)
    condition: states(usable > broken; broken > usable | retired)
    lent: = any(n.returned_on is None for n in Loan if n.tool == self)
  Member:
    name: unique person
    joined: fixed date
    suspended: bool = false
    open_loans: = count(n for n in Loan if n.member == self and n.returned_on is None)
  Loan:
    member: fixed ref(Member)
    tool: fixed ref(Tool)
    lent_on: fixed date
    due_on: date
    returned_on: optional date

# Rules hold after every operation, whichever it is; the text is what an agent is told.
rules:
  - text: A tool is lent to one member at a time.
    holds: unique(n.tool for n in Loan if n.returned_on is None)
  - text: A member has at most three open loans.
    holds: all(m.open_loans <= 3 for m in Member)
  - text: A loan lasts at most two weeks.
    holds: all(n.lent_on < n.due_on <= n.lent_on + 14 for n in Loan)

# Operations are what people of the trade do. Guards first (condition | sentence when it does not hold), then effects.
operations:
  lend_tool:
    about: Lend a tool to a member from today on.
    params:
      member: ref(Member)
      tool: ref(Tool)
      for_days: int(1..14)
    require:
      - not member.suspended | {{member.name}} is suspended.
      - member.open_loans < 3 | {{member.name}} already has three open loans.
      - tool.condition == 'usable' | {{tool.name}} is {{tool.condition}}.
      - not tool.lent | {{tool.name}} is lent already.
    effect:
      - new Loan(member, tool, lent_on=today, due_on=today + for_days)
    say: lend {{tool}} to {{member}} for {{for_days}} days
  return_tool:
    about: Take a lent tool back today, whole or broken.
    params:
      loan: ref(Loan)
      broken: bool = false
    require:
      - loan.returned_on is None | {{loan.tool.name}} was returned on {{loan.returned_on}}.
    effect:
      - loan.returned_on = today
      - if broken and loan.tool.condition == 'usable':
          - loan.tool.condition = 'broken'
    say: take {{loan.tool}} back from {{loan.member}}
  repair_tool:
    about: Make a broken tool usable again.
    params:
      tool: ref(Tool)
    require:
      - tool.condition == 'broken' | {{tool.name}} is {{tool.condition}}, not broken.
    effect:
      - tool.condition = 'usable'
    say: repair {{tool}}
  retire_tool:
    about: Retire a broken tool for good.
    params:
      tool: ref(Tool)
    require:
      - tool.condition == 'broken' | {{tool.name}} is {{tool.condition}}, not broken.
    effect:
      - tool.condition = 'retired'
    say: retire {{tool}}
  suspend_member:
    about: Suspend a member or lift the suspension.
    params:
      member: ref(Member)
      suspended: bool
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
    Tool: 12
    Member: 10
  history: 60
  play:
    lend_tool: 6
    return_tool: 3
  values:
    Tool.name, kind: >-
      Claw hammer, hand_tool | Cordless drill, power_tool | Belt sander, power_tool | Extension ladder, ladder |
      Pipe wrench, hand_tool | Circular saw, power_tool | Hand plane, hand_tool | Step ladder, ladder |
      Spirit level, hand_tool | Jigsaw, power_tool | Bolt cutter, hand_tool | Heat gun, power_tool
    Member.joined: 2019-01-01..2025-12-31
    return_tool.broken: false | false | false | true
    suspend_member.suspended: false | true
"""


def starter_blueprint(id_: str, sector: str) -> str:
    """The text of a blueprint that checks and compiles as it stands."""
    return STARTER.format(id=id_, sector=sector, title=id_.replace("_", " ").capitalize())
