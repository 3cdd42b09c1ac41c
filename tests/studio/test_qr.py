"""QR codes, as another program reads them."""

from __future__ import annotations

import numpy as np
import pytest
import zxingcpp
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.errors import WorldError
from envscaler_mcp.studio.qr import qr_code

SCALE = 4
MARGIN = 4
LONGEST = 666
"""Bytes of version 20 at level M, as the standard has it."""


def read(rows: tuple[str, ...]) -> tuple[str, str]:
    """What a camera would read of it, and at which level of correction."""
    dark = np.array([[module == "1" for module in row] for row in rows])
    picture = np.where(np.pad(dark, MARGIN), 0, 255).astype(np.uint8).repeat(SCALE, 0).repeat(SCALE, 1)
    (code,) = zxingcpp.read_barcodes(picture, try_rotate=False)
    return code.text, code.ec_level


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=150))
def test_a_reader_reads_what_was_written(text: str) -> None:
    assert read(qr_code(text))[0] == text


@pytest.mark.parametrize(
    "length", [14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624, 666]
)
def test_every_version_is_filled_to_its_last_byte(length: int) -> None:
    text = ("http://farm.example/#/join/" * 30)[:length]
    rows = qr_code(text)
    assert read(rows) == (text, "M")
    assert len(qr_code(text[:-1])) <= len(rows)
    if length > 14 and length != LONGEST:
        assert len(qr_code(f"{text}x")) == len(rows) + 4


def test_a_code_that_is_soiled_is_still_read() -> None:
    text = "http://192.168.178.20:8765/#/join/3q2-7wAAbbCC"
    rows = [list(row) for row in qr_code(text)]
    for line in rows[-6:-2]:
        line[-7:-3] = "1111"
    assert read(tuple(map("".join, rows)))[0] == text


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(WorldError, match="too dense"):
        qr_code("x" * (LONGEST + 1))
