"""Stored documents: frozen, stable, whole, and traceable."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from envscaler_mcp.artifacts import (
    Environment,
    Provenance,
    Registry,
    RegistryEntry,
    State,
    StateDiff,
    Tool,
    canonical_json,
    digest_of,
)
from envscaler_mcp.artifacts.registry import RegistryDigests
from envscaler_mcp.errors import ArtifactError

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=4)
    ),
    max_leaves=12,
)


def a_state(**changes: object) -> State:
    content = {"rooms": {"ROOM-00001": {"id": "ROOM-00001", "number": "101"}}, "now": "2026-03-02T09:00"}
    fields: dict[str, object] = {"environment": "hotel", "name": "start", "seed": 7, "content": content, **changes}
    return State.model_validate(fields)


@given(json_values)
def test_canonical_text_reads_back_as_the_same_value(value: object) -> None:
    assert json.loads(canonical_json(value)) == value


@given(st.dictionaries(st.text("abc", min_size=1), st.integers()))
def test_equal_values_have_equal_digests_whatever_order_they_were_made_in(value: dict[str, int]) -> None:
    assert digest_of(dict(reversed(value.items()))) == digest_of(value)


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), "\ud800", {1, 2}, object()], ids=["nan", "inf", "surrogate", "set", "object"]
)
def test_what_is_not_plain_json_has_no_canonical_text(value: object) -> None:
    with pytest.raises(ArtifactError, match="not plain JSON"):
        canonical_json({"value": value})


def test_a_document_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        a_state().name = "other"  # type: ignore[misc]


def test_a_field_that_nobody_named_is_refused_with_its_name() -> None:
    text = a_state().to_text().replace('"seed": 7', '"seed": 7, "sead": 8')
    with pytest.raises(ArtifactError, match=r"states/start.json is not a State: sead: Extra inputs"):
        State.from_text(text, "states/start.json")


def test_a_document_of_another_schema_version_is_refused() -> None:
    text = a_state().to_text().replace('"schema_version": 1', '"schema_version": 9')
    with pytest.raises(ArtifactError, match="schema_version 9 is not 1"):
        State.from_text(text, "start.json")


def test_a_document_reads_back_equal_and_with_an_equal_digest(tmp_path: Path) -> None:
    state = a_state(provenance=Provenance(parents={"blueprint": "sha256:0"}, seed=7))
    state.write(tmp_path / "deep" / "start.json")
    again = State.read(tmp_path / "deep" / "start.json")
    assert again == state
    assert again.digest == state.digest


def test_another_parent_makes_another_digest() -> None:
    assert a_state(provenance=Provenance(parents={"blueprint": "sha256:0"})).digest != a_state().digest


def test_a_failed_write_leaves_the_old_document_and_no_scraps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "start.json"
    a_state().write(path)
    before = path.read_text()

    def full_disk(_self: Path, _target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full_disk)
    with pytest.raises(ArtifactError, match=r"start.json cannot be written: .*No space left"):
        a_state(name="other").write(path)
    assert path.read_text() == before
    assert [file.name for file in tmp_path.iterdir()] == ["start.json"]


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(ArtifactError, match=r"nowhere.json cannot be read"):
        State.read(Path("nowhere.json"))


def an_entry(env_id: str) -> RegistryEntry:
    return RegistryEntry(
        id=env_id,
        title="T",
        about="A",
        sector="s",
        version="1.0.0",
        tools=("list_rooms",),
        digests=RegistryDigests(environment="sha256:1", code="sha256:2"),
        command=("{python}", "server.py"),
    )


def test_a_registry_is_sorted_and_names_nobody_twice() -> None:
    assert Registry(entries=(an_entry("a"), an_entry("b"))).entries[0].id == "a"
    for entries in ((an_entry("b"), an_entry("a")), (an_entry("a"), an_entry("a"))):
        with pytest.raises(ValidationError, match="sorted by id"):
            Registry(entries=entries)


def test_an_environment_finds_its_tools_by_name() -> None:
    tool = Tool(name="list_rooms", description="d", effect="reads", input_schema={})
    card = Environment(
        id="hotel",
        title="T",
        about="A",
        sector="s",
        version="1.0.0",
        origin="compiled",
        class_name="Hotel",
        introduction="I",
        rules=(),
        tools=(tool,),
        states=("start",),
        code_digest="sha256:0",
    )
    assert card.tool("list_rooms") is tool
    assert card.tool("list_beds") is None


def test_a_diff_of_nothing_is_empty() -> None:
    assert StateDiff().empty
    assert not StateDiff(scalars={"now": ("a", "b")}).empty
