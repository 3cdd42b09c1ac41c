"""The modules `time`, `datetime`, `random`, `uuid` and `secrets` as environment code sees them."""

from __future__ import annotations

import builtins
import calendar
import datetime as dt
import random as real_random
import time as real_time
import uuid as real_uuid
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from envscaler_mcp.serving.determinism import CountedRandom, Sources

_UTC = dt.UTC


def replaced_modules(sources: Sources) -> dict[str, ModuleType]:
    """One set of modules for one world."""
    return {
        "time": _time(sources),
        "datetime": _datetime(sources),
        "random": _random(sources),
        "uuid": _uuid(sources),
        "secrets": _secrets(sources),
    }


def builtins_with(modules: Mapping[str, ModuleType]) -> dict[str, Any]:
    """Python's builtins, whose `import` finds these modules first."""

    def import_module(name: str, *rest: Any) -> Any:
        return modules[name] if name in modules else builtins.__import__(name, *rest)

    return {**vars(builtins), "__import__": import_module}


def _module(name: str, contents: Mapping[str, Any]) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(contents)
    vars(module)["__all__"] = list(contents)
    return module


def _time(sources: Sources) -> ModuleType:
    def gmtime(seconds: float | None = None) -> real_time.struct_time:
        return real_time.gmtime(sources.seconds if seconds is None else seconds)

    def strftime(form: str, moment: Any = None) -> str:
        return real_time.strftime(form, gmtime() if moment is None else moment)

    def asctime(moment: Any = None) -> str:
        return real_time.asctime(gmtime() if moment is None else moment)

    def ctime(seconds: float | None = None) -> str:
        return real_time.asctime(gmtime(seconds))

    def seconds() -> float:
        return sources.seconds

    def nanoseconds() -> int:
        return round(sources.seconds * 1e6) * 1_000

    readings = dict.fromkeys(("time", "monotonic", "perf_counter", "process_time", "thread_time"), seconds)
    return _module(
        "time",
        {
            **readings,
            **{f"{name}_ns": nanoseconds for name in readings},
            "sleep": sources.sleep,
            "gmtime": gmtime,
            "localtime": gmtime,
            "strftime": strftime,
            "asctime": asctime,
            "ctime": ctime,
            "mktime": lambda moment: float(calendar.timegm(moment)),
            "strptime": real_time.strptime,
            "struct_time": real_time.struct_time,
            "timezone": 0,
            "altzone": 0,
            "daylight": 0,
            "tzname": ("UTC", "UTC"),
        },
    )


class _AlsoReal(type):
    """A class of ours of which Python's own instances are instances too."""

    def __instancecheck__(cls, instance: object) -> bool:
        real = cls.__dict__.get("_real")
        return super().__instancecheck__(instance) if real is None else isinstance(instance, real)


def _datetime(sources: Sources) -> ModuleType:
    class date(dt.date, metaclass=_AlsoReal):  # noqa: N801
        _real = dt.date

        @classmethod
        def today(cls) -> Any:
            return cls.fromordinal(sources.moment.toordinal())

        @classmethod
        def fromtimestamp(cls, timestamp: float, /) -> Any:
            return cls.fromordinal(dt.datetime.fromtimestamp(timestamp, _UTC).toordinal())

    class datetime(dt.datetime, metaclass=_AlsoReal):  # noqa: N801
        _real = dt.datetime

        @classmethod
        def now(cls, tz: Any = None) -> Any:
            here = cls.combine(sources.moment.date(), sources.moment.time())
            return here if tz is None else here.replace(tzinfo=_UTC).astimezone(tz)

        @classmethod
        def today(cls) -> Any:
            return cls.now()

        @classmethod
        def utcnow(cls) -> Any:
            return cls.now()

        @classmethod
        def fromtimestamp(cls, timestamp: float, tz: Any = None) -> Any:
            there = super().fromtimestamp(timestamp, _UTC if tz is None else tz)
            return there.replace(tzinfo=None) if tz is None else there

        def timestamp(self) -> float:
            return dt.datetime.timestamp(self if self.tzinfo else self.replace(tzinfo=_UTC))

        def astimezone(self, tz: Any = None) -> Any:
            known = self if self.tzinfo else self.replace(tzinfo=_UTC)
            return dt.datetime.astimezone(known, _UTC if tz is None else tz)

    for ours, real in ((date, dt.date), (datetime, dt.datetime)):
        ours.__module__, ours.__qualname__ = "datetime", real.__qualname__
    rest = {name: getattr(dt, name) for name in ("time", "timedelta", "timezone", "tzinfo", "MINYEAR", "MAXYEAR")}
    return _module("datetime", {"date": date, "datetime": datetime, "UTC": _UTC, **rest})


def _random(sources: Sources) -> ModuleType:
    class Random(CountedRandom):
        """Without a seed of its own, one that the world gives."""

        def seed(self, a: Any = None, version: int = 2) -> None:
            super().seed(sources.draw("random", 16).hex() if a is None else a, version)

    class SystemRandom(Random):
        def seed(self, a: Any = None, version: int = 2) -> None:
            del a
            super().seed(None, version)

    def seed(a: Any = None, version: int = 2) -> None:
        sources.random.seed(sources.draw("random", 16).hex() if a is None else a, version)

    names = [name for name in real_random.__all__ if name not in ("Random", "SystemRandom", "seed")]
    functions = {name: getattr(sources.random, name) for name in names}
    return _module("random", {**functions, "Random": Random, "SystemRandom": SystemRandom, "seed": seed})


def _uuid(sources: Sources) -> ModuleType:
    def uuid4() -> real_uuid.UUID:
        return real_uuid.UUID(bytes=sources.draw("uuid", 16), version=4)

    def uuid1(node: int | None = None, clock_seq: int | None = None) -> real_uuid.UUID:
        drawn = int.from_bytes(sources.draw("uuid", 2))
        ticks = round(sources.seconds * 1e7) + 0x01B21DD213814000 + drawn
        sequence = (drawn if clock_seq is None else clock_seq) & 0x3FFF
        fields = (
            ticks & 0xFFFFFFFF,
            ticks >> 32 & 0xFFFF,
            ticks >> 48 & 0x0FFF,
            sequence >> 8,
            sequence & 0xFF,
            getnode() if node is None else node,
        )
        return real_uuid.UUID(fields=fields, version=1)

    def getnode() -> int:
        return 0x020000000000 | sources.seed & 0xFFFFFFFF

    constants = {name: getattr(real_uuid, name) for name in dir(real_uuid) if name.startswith(("NAMESPACE_", "RFC_"))}
    return _module(
        "uuid",
        {
            **constants,
            "UUID": real_uuid.UUID,
            "SafeUUID": real_uuid.SafeUUID,
            "uuid1": uuid1,
            "uuid3": real_uuid.uuid3,
            "uuid4": uuid4,
            "uuid5": real_uuid.uuid5,
            "getnode": getnode,
        },
    )


def _secrets(sources: Sources) -> ModuleType:
    def token_bytes(nbytes: int | None = None) -> bytes:
        return sources.draw("secrets", 32 if nbytes is None else nbytes)

    def token_hex(nbytes: int | None = None) -> str:
        return token_bytes(nbytes).hex()

    def token_urlsafe(nbytes: int | None = None) -> str:
        from base64 import urlsafe_b64encode

        return urlsafe_b64encode(token_bytes(nbytes)).rstrip(b"=").decode()

    def compare_digest(a: str | bytes, b: str | bytes) -> bool:
        return a == b

    below: Callable[[int], int] = sources.random.randrange
    return _module(
        "secrets",
        {
            "token_bytes": token_bytes,
            "token_hex": token_hex,
            "token_urlsafe": token_urlsafe,
            "choice": sources.random.choice,
            "randbelow": below,
            "randbits": sources.random.getrandbits,
            "compare_digest": compare_digest,
        },
    )
