"""A run folder from elsewhere costs its readers no more than its size, and what is written here can be read again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from envscaler_mcp.errors import RunError
from envscaler_mcp.scoring import journal, lines
from envscaler_mcp.scoring.journal import Journal, read_shards
from envscaler_mcp.scoring.lines import read_lines, sealed
from envscaler_mcp.scoring.trajectory import read_attempt

RECORD = b'{"a":1}'


def false_heads(many: int, after: bytes) -> bytes:
    """Beginnings of records of which each says that it goes on to the end."""
    size = len(b'{"bytes":"%010d","sha256":"%s","record":' % (0, b"0" * 64)) + len(after)
    return b"".join(
        b'{"bytes":"%010d","sha256":"%s","record":%s' % ((many - number - 1) * size, b"0" * 64, after)
        for number in range(many)
    )


@pytest.mark.parametrize("after", [b"", b"\n"], ids=["on one line", "each on its own"])
def test_beginnings_of_records_that_never_come_are_summed_a_bounded_number_of_times(
    after: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    summed: list[int] = []
    genuine = lines._sum

    def counted(record: bytes) -> bytes:
        summed.append(len(record))
        return genuine(record)

    monkeypatch.setattr(lines, "_SEARCHED", 1 << 20)
    monkeypatch.setattr(lines, "_sum", counted)
    data = false_heads(5_000, after) + b"\n" + sealed(RECORD)
    reading = read_lines(data)
    assert reading.records[-1] == RECORD
    assert sum(summed) < 4 * len(data) + (2 << 20)


def test_records_are_found_behind_damage_of_every_kind() -> None:
    whole = sealed(RECORD) * 3
    for begin in range(0, len(sealed(RECORD)) * 2, 7):
        for wrong in (b"", b"\n", b"{", b'{"bytes":"'):
            data = whole[:begin] + wrong + whole[begin + 3 :]
            assert RECORD in read_lines(data).records, (begin, wrong)


def test_no_shard_becomes_longer_than_readers_accept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "SHARD", 1_000)
    monkeypatch.setattr(journal, "LONGEST", 4_000)
    long = b'"%s"' % (b"x" * 3_000)
    with Journal.open(tmp_path) as written:
        written.append([long, RECORD, long, RECORD])
        written.append([RECORD] * 100)
        with pytest.raises(RunError, match="a reader accepts 4000 at most"):
            written.append([b'"%s"' % (b"x" * 5_000)])
    found = [record for _, reading in read_shards(tmp_path) for record in reading.records]
    assert found == [long, RECORD, long, RECORD, *[RECORD] * 100]
    assert all(path.stat().st_size <= 4_000 for path in tmp_path.glob("*.jsonl"))


@pytest.mark.parametrize(
    "change",
    [
        {"id": ["x"]},
        {"environment": {"a": 1}},
        {"steps": "text"},
        {"attempt": None},
        {"verdict": {"reward": 10**400}},
        {"verdict": {"owner": ["x"]}},
        {"verdict": {"solved": 1}},
    ],
    ids=str,
)
def test_a_record_with_values_of_other_kinds_is_no_trajectory(change: dict[str, Any]) -> None:
    record = {
        "id": "a", "environment": "b", "agent": "c", "attempt": 1, "steps": [], "ended": "completed",
        "verdict": {"reward": 1.0, "solved": True},
    }  # fmt: skip
    assert read_attempt(json.dumps(record).encode()).solved
    # What a record says may be read as a verdict that is legible and says that the check has failed.
    try:
        read = read_attempt(json.dumps({**record, **change}).encode())
    except RunError:
        return
    assert (read.reward, read.owner) == (0.0, "checker")
