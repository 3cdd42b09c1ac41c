"""A small blueprint in which one thing at a time is put wrong."""

from __future__ import annotations

from envscaler_mcp.language import CheckedBlueprint, Model, check_blueprint, read_blueprint

ENTITIES = """\
  Ward:
    name: unique name
    beds: int(1..9)
    budget: money = 0
    chief: optional ref(Nurse)
    stays: = count(Stay, ward=self)
    last: = first([s for s in Stay if s.ward == self], by=desc(s.since))
  Nurse:
    name: person
    level: optional int(0..5)
    wards: list(ref(Ward))
  Stay:
    ward: ref(Ward)
    since: fixed date
    nurse: optional ref(Nurse)
    fee: money(0..100000) = 0
    note: optional text
    status: states(open > closed; closed > open)
"""

PARTS = {
    "entities": ENTITIES,
    "define": "",
    "rules": "",
    "params": "",
    "require": "",
    "effect": "",
    "queries": "",
    "operations": "",
}


def text(**parts: str) -> str:
    """The blueprint as YAML; each part given is added to what is there, lines of a list without their dash."""

    def lines(name: str) -> str:
        return "".join(f"      - {line}\n" for line in parts.get(name, "").splitlines() if line.strip())

    def block(name: str, indent: int) -> str:
        return "".join(f"{' ' * indent}{line}\n" for line in parts.get(name, "").splitlines())

    define = f"define:\n{block('define', 2)}" if "define" in parts else ""
    queries = f"queries:\n{block('queries', 2)}" if "queries" in parts else ""
    require = f"    require:\n{lines('require')}" if "require" in parts else ""
    say = parts.get("say", "do it")
    return f"""\
id: small
title: Small
about: A small one.
sector: tests
entities:
{ENTITIES}{block("entities", 2)}{define}rules:
  - text: A ward has no more stays than beds.
    holds: all(w.stays <= w.beds for w in Ward)
{block("rules", 2)}operations:
  admit:
    about: Admit somebody to a ward.
    params:
      ward: ref(Ward)
    effect:
      - new Stay(ward, since=today)
    say: admit to {{ward}}
  close:
    about: Close a stay.
    params:
      stay: ref(Stay)
    effect:
      - stay.status = 'closed'
    say: close {{stay}}
  tried:
    about: What is tried here.
    params:
      one: ref(Stay)
      amount: int
{block("params", 6)}{require}    effect:
      - one.fee += round(one.fee / 2 * amount)
{lines("effect")}    say: {say}
{block("operations", 2)}{queries}"""


def checked(**parts: str) -> CheckedBlueprint:
    return check_blueprint(read_blueprint(text(**parts)))


def errors(**parts: str) -> str:
    """Everything that is wrong, one line each."""
    return "\n".join(str(problem) for problem in checked(**parts).errors)


def warnings(**parts: str) -> str:
    return "\n".join(str(problem) for problem in checked(**parts).warnings)


def sound(**parts: str) -> Model:
    """The model of a blueprint in which nothing is wrong."""
    return checked(**parts).sound()
