"""A large file is read entry by entry, and says the same as if it were read at once."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.errors import ArtifactError
from envscaler_mcp.export import items as reading
from envscaler_mcp.export.items import items

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(
    document=st.lists(VALUES, max_size=6) | st.dictionaries(st.text(), VALUES, max_size=6),
    indent=st.sampled_from([None, 1, 4]),
    ascii_only=st.booleans(),
    chunk=st.integers(1, 40),
)
def test_entries_are_those_of_the_whole_document(
    tmp_path_factory: pytest.TempPathFactory, document: object, indent: int | None, ascii_only: bool, chunk: int
) -> None:
    path = tmp_path_factory.mktemp("items") / "document.json"
    path.write_text(json.dumps(document, indent=indent, ensure_ascii=ascii_only), encoding="utf-8")
    with patch.object(reading, "_CHUNK", chunk):
        found = list(items(path))
    wanted = document.items() if isinstance(document, dict) else enumerate(document)  # type: ignore[arg-type]
    assert found == list(wanted)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "neither a list nor an object"),
        ("7", "neither a list nor an object"),
        ('[{"a": 1} {"b": 2}]', "',' is wanted, and '{' is there"),
        ('{"a": 1, "b"', "':' is wanted, and 'its end' is there"),
        ('[{"a": 1}', "',' is wanted, and 'its end' is there"),
        ('[{"a": 1}] more', "something stands after its end"),
        ("[1, 2,", "Expecting value"),
    ],
)
def test_what_is_no_whole_document_is_told(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "broken.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ArtifactError, match=complaint):
        list(items(path))
