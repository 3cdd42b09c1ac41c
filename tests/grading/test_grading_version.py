"""What judges has a name that changes whenever a verdict could."""

from __future__ import annotations

import re
from pathlib import Path

from envscaler_mcp import __version__
from envscaler_mcp.grading.reward import GRADING

CHANGELOG = Path(__file__).parent.parent.parent / "CHANGELOG.md"


def test_whoever_changes_a_grading_says_so_and_raises_its_number() -> None:
    sections = re.findall(r"^### Grading changes$(.*?)(?=^#|\Z)", CHANGELOG.read_text(), re.MULTILINE | re.DOTALL)
    told = sum(len(re.findall(r"^\* ", section, re.MULTILINE)) for section in sections)
    assert f"{__version__}/{told}" == GRADING
