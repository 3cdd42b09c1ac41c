"""What people are shown is what was said, whatever signs are in it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from envscaler_mcp.cli.printing import progress_bar


def test_a_name_with_brackets_is_shown_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, program = os.openpty()
    with Path(os.ttyname(program)).open("w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with progress_bar("importing") as progress:
            progress("desk[/red]", 1, 2)
        monkeypatch.undo()
    shown = os.read(screen, 4096).decode()
    os.close(program)
    os.close(screen)
    assert "importing desk[/red]" in shown
