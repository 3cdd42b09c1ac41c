"""A home with one server folder, the small lending library, and tasks that were made by playing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from envscaler_mcp.artifacts import (
    Call,
    Check,
    Frame,
    Scenario,
    State,
    StateDiff,
)
from envscaler_mcp.serving import EnvironmentCode, open_unread_world
from tests.homes import register, start_state, write_server, written

LIBRARY = Path(__file__).parent.parent / "serving" / "environments" / "lending_library.py.txt"


def library_code(name: str = "lending_library", **changes: str) -> EnvironmentCode:
    source = LIBRARY.read_text()
    for old, new in changes.items():
        source = source.replace(old, new)
    return written(
        source,
        name,
        title="Lending library",
        about="Members borrow books.",
        origin="compiled",
        introduction="You work at the desk of a library.",
        rules=("A book is lent to one member at a time.",),
    )


def content(books: int = 40, members: int = 20) -> dict[str, Any]:
    return {
        "books": {
            f"BOOK-{n:05d}": {"title": f"Volume {n}", "shelf": "science" if n % 3 else "fiction"}
            for n in range(1, books + 1)
        },
        "members": {
            f"MEMB-{n:05d}": {"name": f"Member {n}", "email": f"m{n}@example.org", "notes": [], "last": None}
            for n in range(1, members + 1)
        },
        "loans": {},
        "now": "2026-03-02T09:00",
        "counters": {"MEMB": members},
    }


def oracle(number: int) -> tuple[Call, ...]:
    """Someone joins, takes a book and pays no attention to another; seven calls."""
    book, other = f"BOOK-{number % 38 + 1:05d}", f"BOOK-{number % 38 + 2:05d}"
    return (
        Call(tool="list_books", arguments={"shelf": "science"}),
        Call(tool="join", arguments={"name": f"Reader {number}", "email": f"reader{number}@example.org"}),
        Call(tool="get_book", arguments={"book_id": book}),
        Call(tool="lend_book", arguments={"book_id": book, "member_id": "MEMB-00021", "until": "2026-03-20"}),
        Call(tool="lend_book", arguments={"book_id": other, "member_id": "MEMB-00003", "until": "2026-03-21"}),
        Call(tool="return_book", arguments={"book_id": other}),
        Call(tool="note", arguments={"member_id": "MEMB-00003", "text": f"Asked for volume {number}. „Grüße“"}),
    )


def scenario(code: EnvironmentCode, state: State, name: str, calls: Sequence[Call]) -> Scenario:
    world = open_unread_world(code, state.content, 7)
    mark = world.snapshot()
    for call in calls:
        outcome = world.call(call.tool, call.arguments)
        assert outcome.kind == "done", outcome
    diff = world.diff_since(mark)
    return Scenario(
        id=name,
        environment=code.environment.id,
        code_digest=code.environment.code_digest,
        state=state.name,
        state_digest=state.digest,
        seed=7,
        level="medium",
        task=f"Somebody is at the desk and wants what {name} is about.",
        checks=tuple(checks_of(diff)),
        frame=frame_of(diff),
        oracle=tuple(calls),
    )


def checks_of(diff: StateDiff) -> Iterator[Check]:
    for container, records in diff.created.items():
        for record in records.values():
            yield check(f"any(one == {record!r} for one in final_state[{container!r}].values())")
    for container, changes in diff.changed.items():
        for key, fields in changes.items():
            for field, (_, after) in fields.items():
                yield check(f"final_state[{container!r}][{key!r}][{field!r}] == {after!r}")
    for container, gone in diff.deleted.items():
        for key in gone:
            yield check(f"{key!r} not in final_state[{container!r}]")


def check(expression: str) -> Check:
    return Check(check_item="Has it been done?", check_func=f"def check_func(final_state):\n    return {expression}\n")


def frame_of(diff: StateDiff) -> Frame:
    return Frame(
        created={container: len(records) for container, records in diff.created.items()},
        deleted={container: tuple(records) for container, records in diff.deleted.items()},
        changed={
            container: {key: tuple(fields) for key, fields in changes.items()}
            for container, changes in diff.changed.items()
        },
    )


def write_home(home: Path, tasks: int = 4, name: str = "lending_library") -> Path:
    """The home, with a registry and one server folder."""
    code = library_code(name)
    folder = home / "generated_servers" / name
    state = start_state(content(), name)
    made = [scenario(code, state, f"{name}-{number:03d}", oracle(number)) for number in range(1, tasks + 1)]
    return register(home, write_server(folder, code, state, made))
