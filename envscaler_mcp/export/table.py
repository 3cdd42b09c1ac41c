"""Rows in a file that a trainer loads: JSON lines, or Parquet. The same rows give the same bytes."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from envscaler_mcp.errors import ExportError, boundary
from envscaler_mcp.plain_files import replacing

Row = Mapping[str, Any]
Columns = dict[str, Any]
"""The kind of each column: a name as Arrow has it, `json`, a list with the kind of its entries, or columns of its own."""
_GROUP = 1000
"""Rows that are in memory at a time, and stand together in a Parquet file."""


def write_lines(path: Path, rows: Iterable[Row]) -> int:
    """Write the rows as lines of JSON, whole or not at all; how many there are. Without rows there is no file after it."""
    return _write_whole(path, rows, _write_lines)


def write_table(path: Path, rows: Iterable[Row], columns: Columns) -> int:
    """The same as Parquet; what is `json` is given as a text."""
    return _write_whole(path, rows, lambda temporary, groups: _write_parquet(temporary, groups, columns))


def _write_whole(path: Path, rows: Iterable[Row], write: Callable[[Path, Iterator[list[Row]]], int]) -> int:
    with boundary(ExportError, f"{path} cannot be written"), replacing(path) as new:
        many = write(new, _groups(iter(rows)))
        if not many:
            # What an export before this one left there must not be taken for this one.
            new.unlink()
            path.unlink(missing_ok=True)
    return many


def _groups(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while group := list(islice(rows, _GROUP)):
        yield group


def _write_lines(path: Path, groups: Iterable[list[Row]]) -> int:
    many = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for group in groups:
            many += len(group)
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in group)
    return many


def _write_parquet(path: Path, groups: Iterable[list[Row]], columns: Columns) -> int:
    try:
        pyarrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError as cause:
        raise ExportError("Parquet needs pyarrow; type: pip install 'envscaler-mcp[parquet]'") from cause
    schema, texts = (pyarrow.schema(_kind(pyarrow, columns, kind)) for kind in (pyarrow.json_(), pyarrow.string()))
    many = 0
    with parquet.ParquetWriter(path, schema) as writer:
        for group in groups:
            many += len(group)
            # Arrow makes its JSON of texts, and not of rows.
            writer.write_table(pyarrow.Table.from_pylist(group, texts).cast(schema))
    return many


def _kind(pyarrow: Any, kind: Any, json_kind: Any) -> Any:
    if isinstance(kind, list):
        return pyarrow.list_(_kind(pyarrow, kind[0], json_kind))
    if isinstance(kind, Mapping):
        return pyarrow.struct([(name, _kind(pyarrow, inner, json_kind)) for name, inner in kind.items()])
    return json_kind if kind == "json" else pyarrow.type_for_alias(kind)
