"""Code that reads the clock, draws ids or throws dice sees the world's."""

from __future__ import annotations

import datetime as dt
import random
import statistics
from types import ModuleType
from typing import Any

import pytest

from envscaler_mcp.errors import WorldError
from envscaler_mcp.serving import load_class
from envscaler_mcp.serving.determinism import Sources
from envscaler_mcp.serving.replaced_modules import replaced_modules

NOSY = """
import random, secrets, time, uuid
from datetime import date, datetime, timedelta, timezone
from dataclasses import dataclass
import datetime as whole

STARTED = time.time()
GUEST = random.Random()

@dataclass
class Stamp:
    at: datetime

class Nosy:
    def look(self):
        return [
            time.time(), time.time_ns(), time.strftime("%Y-%m-%d"), time.localtime().tm_hour, time.perf_counter(),
            datetime.now().isoformat(), datetime.utcnow().isoformat(), datetime.now(timezone.utc).isoformat(),
            datetime.now(timezone(timedelta(hours=2))).isoformat(), datetime.today().timestamp(),
            date.today().isoformat(), whole.date.today().isoformat(), date.fromtimestamp(time.time()).isoformat(),
            datetime.fromtimestamp(time.time()).isoformat(), (datetime.now() - timedelta(days=30)).isoformat(),
            str(uuid.uuid4()), str(uuid.uuid1()), uuid.getnode(), secrets.token_hex(4), secrets.token_urlsafe(4),
            random.random(), random.randint(1, 6), random.choice("abc"), random.sample(range(9), 3), random.gauss(0, 1),
            random.Random().random(), random.SystemRandom().random(), GUEST.random(), random.Random(5).random(), STARTED,
            isinstance(datetime.now(), datetime), isinstance(datetime.now().date(), date), Stamp(datetime.now()).at.year,
            isinstance(datetime.strptime("2026-01-01", "%Y-%m-%d"), datetime), "x" if isinstance(5, date) else "y",
        ]
    def roll(self):
        random.seed(3)
        return random.random()
    def nap(self):
        time.sleep(90)
        return datetime.now().isoformat()
"""


def nosy(seed: int, now: str = "2026-03-02T09:00") -> tuple[Any, Sources]:
    sources = Sources(seed, now)
    return load_class(NOSY, "Nosy", sources)(), sources


def modules(seed: int) -> dict[str, ModuleType]:
    return replaced_modules(Sources(seed))


def test_the_same_seed_sees_the_same_time_and_chance() -> None:
    assert nosy(1)[0].look() == nosy(1)[0].look()


def test_another_seed_has_other_ids_and_other_chance_but_the_same_time() -> None:
    one, two = nosy(1)[0].look(), nosy(2)[0].look()
    assert one[:15] == two[:15]
    assert not any(left == right for left, right in zip(one[15:21], two[15:21], strict=True))


def test_time_is_the_worlds_and_in_utc() -> None:
    look = nosy(1)[0].look()
    assert look[2] == "2026-03-02"
    assert look[3] == 9
    assert look[5] == look[6] == look[13] == "2026-03-02T09:00:00"
    assert look[7] == "2026-03-02T09:00:00+00:00"
    assert look[8] == "2026-03-02T11:00:00+02:00"
    assert look[0] == look[9] == dt.datetime(2026, 3, 2, 9, tzinfo=dt.UTC).timestamp()
    assert look[10] == look[11] == look[12] == "2026-03-02"
    assert look[14] == "2026-01-31T09:00:00"
    assert look[30:] == [True, True, 2026, True, "y"]


def test_nobody_waits_while_code_sleeps() -> None:
    assert nosy(1)[0].nap() == "2026-03-02T09:01:30"


def test_a_world_goes_back_to_where_it_stood() -> None:
    env, sources = nosy(1)
    env.look()
    there = sources.position()
    first = env.look()[:26]
    env.nap()
    env.roll()
    sources.set_clock("2030-01-01T00:00")
    sources.go_to(there)
    assert env.look()[:26] == first


def test_a_fork_goes_on_by_itself() -> None:
    _, sources = nosy(1)
    sources.draw("uuid", 16)
    twin = sources.fork()
    assert twin.draw("uuid", 16) == sources.draw("uuid", 16)
    sources.draw("uuid", 16)
    assert twin.position().ids == sources.position().ids - 1


def test_a_clock_shows_only_minutes_of_the_calendar() -> None:
    with pytest.raises(WorldError, match="cannot show '2026-02-30T09:00'"):
        Sources(1).set_clock("2026-02-30T09:00")


def test_worlds_share_no_module() -> None:
    source = "COUNT = []\nclass Shop:\n    def add(self):\n        COUNT.append(1)\n        return len(COUNT)\n"
    one, two = load_class(source, "Shop", Sources(1))(), load_class(source, "Shop", Sources(1))()
    assert [one.add(), one.add(), two.add()] == [1, 2, 1]


def test_chance_is_evenly_spread() -> None:
    rng = modules(7)["random"]
    drawn = [rng.random() for _ in range(4_000)]
    assert 0.0 <= min(drawn) < 0.01
    assert 0.99 < max(drawn) < 1.0
    assert abs(statistics.fmean(drawn) - 0.5) < 0.02
    assert abs(statistics.stdev(rng.gauss(0, 1) for _ in range(4_000)) - 1) < 0.05
    assert {rng.randrange(6) for _ in range(200)} == set(range(6))
    assert len(rng.randbytes(100)) == 100


def test_every_function_of_random_is_there() -> None:
    assert set(random.__all__) <= set(dir(modules(1)["random"]))


def test_ids_look_like_ids() -> None:
    module = modules(1)["uuid"]
    drawn = [module.uuid4() for _ in range(100)]
    assert {one.version for one in drawn} == {4}
    assert len(set(drawn)) == 100
    assert module.uuid1().version == 1
    assert module.uuid5(module.NAMESPACE_DNS, "a").version == 5


def test_a_source_that_cannot_be_run_is_a_world_error() -> None:
    with pytest.raises(WorldError, match="ZeroDivisionError"):
        load_class("1 / 0", "Shop")
    with pytest.raises(WorldError, match="makes no class 'Shop'"):
        load_class("x = 1", "Shop")
    with pytest.raises(WorldError, match="SystemExit"):
        load_class("raise SystemExit", "Shop")
