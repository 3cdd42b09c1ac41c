"""The page of trainers: every example runs beside its trainer, and prints what the page shows."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.farm.farms import ROOT
from tests.trainers.own_venv import program, python_with
from tests.trainers.test_trainers import GEM, TRL

PAGE = (ROOT / "docs" / "trainers.md").read_text(encoding="utf-8")
EXAMPLES = {
    name or "gymnasium": (code, shown)
    for name, code, shown in re.findall(
        r"^```python ?(gem|trl|)\n(.*?)^```\n(?:\n```text\n(.*?)^```)?", PAGE, re.MULTILINE | re.DOTALL
    )
}
_TINY = "use_cpu=True, bf16=False, max_steps=1, num_generations=2, per_device_train_batch_size=2, report_to='none', "


@pytest.mark.slow
def test_gymnasiums_example_prints_what_the_page_shows(tmp_path: Path) -> None:
    code, shown = EXAMPLES["gymnasium"]
    assert program(Path(sys.executable), "-c", code, cwd=tmp_path) == shown


@pytest.mark.trainers
@pytest.mark.timeout(1_800)
def test_gems_example_prints_what_the_page_shows(tmp_path: Path) -> None:
    code, shown = EXAMPLES["gem"]
    assert program(python_with("gem", *GEM), "-c", code, cwd=tmp_path) == shown


@pytest.mark.trainers
@pytest.mark.timeout(1_800)
def test_trls_example_trains_a_model_with_random_weights(tmp_path: Path) -> None:
    python, (code, _) = python_with("trl", *TRL), EXAMPLES["trl"]
    make = (
        "from pathlib import Path\nfrom envscaler_mcp import rl\nfrom envscaler_mcp.recipes.models import *\n"
        "make_tiny_model(Path('tiny'), texts_of(rl.local(), ['library_loans']))\n"
    )
    small = code.replace("Qwen/Qwen3-0.6B", "tiny").replace("GRPOConfig(", f"GRPOConfig({_TINY}")
    assert small.count(_TINY) == 1
    small = small.replace("max_completion_length=4096", "max_completion_length=64")
    assert "'train_loss'" in program(python, "-c", make + small, cwd=tmp_path)


def test_the_glue_for_trl_is_ten_lines_at_most() -> None:
    assert len([line for line in EXAMPLES["trl"][0].splitlines() if line.strip()]) <= 10
