"""Two small environments: one in the shape of the compiler, one in the published shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.serving import EnvironmentCode, LocalWorld, open_unread_world
from tests.homes import written

HERE = Path(__file__).parent / "environments"


def code_of(name: str, origin: Any, old: str = "", new: str = "") -> EnvironmentCode:
    source = (HERE / f"{name}.py.txt").read_text().replace(old, new)
    return written(
        source,
        name,
        origin=origin,
        introduction=f"You work with the {name.replace('_', ' ')}.",
        rules=("A book is lent to one member at a time.", "A member with an open loan stays a member."),
    )


def library_content(books: int = 40, members: int = 20) -> dict[str, Any]:
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


def office_content() -> dict[str, Any]:
    parcel = {"receiver": "Amina", "weight": 1.5, "status": "waiting", "history": []}
    return {
        "parcels": {f"P-{n}": {"parcel_id": f"P-{n}", **parcel, "history": []} for n in range(1, 6)},
        "couriers": {"Sato": {"trips": 0}},
        "last_opened": "2026-03-01",
        "init_config": {},
    }


@pytest.fixture(scope="session")
def library() -> EnvironmentCode:
    return code_of("lending_library", "compiled")


@pytest.fixture(scope="session")
def office() -> EnvironmentCode:
    return code_of("parcel_office", "written")


@pytest.fixture
def library_world(library: EnvironmentCode) -> LocalWorld:
    return open_unread_world(library, library_content(), 7)


@pytest.fixture
def office_world(office: EnvironmentCode) -> LocalWorld:
    return open_unread_world(office, office_content(), 7)
