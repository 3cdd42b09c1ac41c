"""What the farm answers about blueprints: to read them, to build one in a process of its own, and to publish it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from envscaler_mcp.serving.control.schemas import ControlOperation, Done, JsonBody

BLUEPRINTS = "/v1/blueprints"
BUILDS = "/v1/builds"
MOST_LETTERS = 200_000
"""Of a blueprint that is sent; three times the longest of the library."""


class BlueprintCard(JsonBody):
    """A blueprint that can be opened."""

    id: str
    title: str


class BlueprintList(JsonBody):
    """A small one to start from, and those of the library."""

    blueprints: tuple[BlueprintCard, ...]
    publishes: bool
    """Whether what is built can be published here."""
    writer: str = ""
    """The model that writes a world of a sentence; nothing where none was named."""


class BlueprintText(JsonBody):
    """A blueprint."""

    id: str
    text: str


class BuildOrder(JsonBody):
    """A blueprint to be built."""

    text: str = Field(max_length=MOST_LETTERS)
    before: str = Field(default="", max_length=100)
    """An environment, or an earlier build, whose tasks are proven again in this version."""


class WriteOrder(JsonBody):
    """What a world is to be written of."""

    sentence: str = Field(min_length=1, max_length=2_000)


class BuildAnswer(JsonBody):
    """How far a build is."""

    build: str
    running: bool
    lines: tuple[dict[str, Any], ...]
    """What it said since the line that was asked for, each with its `stage`: check, compile, grow, before, prove, done; or write, done."""
    next: int
    """Which line to ask for next."""
    failed: str
    """Why it did not come to its end; nothing while it runs, and where it did."""


class PublishAnswer(JsonBody):
    """What was published."""

    environment: str


BUILD_OPERATIONS = (
    ControlOperation("GET", BLUEPRINTS, "blueprints", "Blueprints to read.", None, BlueprintList),
    ControlOperation("GET", f"{BLUEPRINTS}/{{blueprint}}", "blueprint", "One of them.", None, BlueprintText),
    ControlOperation("POST", BUILDS, "build", "Build a blueprint; the build before it ends.", BuildOrder, BuildAnswer),
    ControlOperation(
        "POST", f"{BLUEPRINTS}/write", "write", "Let the model write a world of a sentence.", WriteOrder, BuildAnswer
    ),
    ControlOperation(
        "GET", f"{BUILDS}/{{build}}", "build_lines", "How far it is; `?from=` continues.", None, BuildAnswer
    ),
    ControlOperation("DELETE", f"{BUILDS}/{{build}}", "build_stop", "End it.", None, Done),
    ControlOperation(
        "POST",
        f"{BUILDS}/{{build}}/publish",
        "build_publish",
        "Write it into the registry of the home.",
        None,
        PublishAnswer,
    ),
)
"""What owners are answered."""
