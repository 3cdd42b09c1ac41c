"""The doctor says what was tried on this machine, and what is open where a layer is missing."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from envscaler_mcp.cli.doctor import app
from envscaler_mcp.errors import SandboxError
from envscaler_mcp.sandbox import doctor
from envscaler_mcp.sandbox.probe import Kernel
from envscaler_mcp.sandbox.zygote import zygote


def test_the_doctor_measures_workers_and_agrees_with_the_probe() -> None:
    told = CliRunner().invoke(app, ["--json"])
    found = json.loads(told.stdout)
    works = zygote().kernel.works
    assert told.exit_code == (0 if works else 1)
    assert found["hard"] is works
    assert [layer["name"] for layer in found["layers"]] == ["gate", "process", "limits", "tripwire", "kernel"]
    assert found["measured"]["open_ms"] > 0
    assert found["measured"]["calls_per_second"] > 0


def test_the_doctor_speaks_in_words() -> None:
    told = CliRunner().invoke(app, [])
    for word in ("layer", "auto", "portable", "hard", "trusted", "not protected", "calls per second"):
        assert word in told.stdout


def test_without_the_kernel_layer_it_says_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zygote(), "kernel", Kernel(False, 0, False, "the kernel has no Landlock", False))
    told = CliRunner().invoke(app, [])
    assert told.exit_code == 1
    for word in (
        "the kernel has no Landlock",
        "refuses any other",
        "refuses to start here",
        "Files:",
        "Network:",
        "Other processes:",
    ):
        assert word in told.stdout


def test_where_no_worker_starts_only_trusted_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise SandboxError("no fork here")

    monkeypatch.setattr(doctor, "zygote", refuse)
    found = doctor.examine()
    assert not found.hard
    assert found.modes["auto"] == "refuses to start here"
    assert found.measured == {}
    assert "trusted" in found.unprotected[0]
