"""Whatever happens to a file of records, none that is whole is lost and nothing that is not whole is believed."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.scoring.lines import read_lines, sealed

RECORDS = [
    json.dumps({"id": f"episode {n}", "text": 'a line that says {"bytes":"0000000001"} – „ü“ ' * n}).encode()
    for n in range(1, 6)
]
FILE = b"".join(map(sealed, RECORDS))
ENDS = [sum(len(sealed(record)) for record in RECORDS[: n + 1]) for n in range(5)]


def test_a_line_is_json_with_the_record_in_it() -> None:
    for line, record in zip(FILE.splitlines(), RECORDS, strict=True):
        assert json.loads(line)["record"] == json.loads(record)


def test_what_was_written_is_read() -> None:
    reading = read_lines(FILE)
    assert (list(reading.records), reading.damaged, reading.whole) == (RECORDS, (), len(FILE))
    assert read_lines(b"").whole == 0


def test_truncation_at_every_byte_of_the_last_two_records_loses_only_what_was_cut() -> None:
    for length in range(ENDS[2], len(FILE)):
        reading = read_lines(FILE[:length])
        kept = [n for n in range(5) if ENDS[n] <= length]
        assert list(reading.records) == [RECORDS[n] for n in kept]
        assert reading.whole == ENDS[kept[-1]]


@pytest.mark.parametrize("bit", range(8))
def test_a_flipped_bit_anywhere_costs_at_most_the_record_it_is_in(bit: int) -> None:
    for place in range(len(FILE)):
        data = bytearray(FILE)
        data[place] ^= 1 << bit
        reading = read_lines(bytes(data))
        hit = next(n for n in range(5) if place < ENDS[n])
        others = [record for n, record in enumerate(RECORDS) if n != hit]
        # The two bytes after a record are for people; the record itself is as it was.
        in_trailer = place >= ENDS[hit] - 2
        assert list(reading.records) == (RECORDS if in_trailer else others), place


@given(st.binary(max_size=300), st.integers(0, 4))
def test_anything_written_between_records_hides_none_of_them(junk: bytes, after: int) -> None:
    reading = read_lines(FILE[: ENDS[after]] + junk + FILE[ENDS[after] :])
    assert list(reading.records) == RECORDS
    assert reading.whole == len(FILE) + (len(junk) if after < 4 else 0)


def test_a_record_must_fit_on_a_line() -> None:
    with pytest.raises(ValueError, match="one line"):
        sealed(b'{"a":\n1}')
