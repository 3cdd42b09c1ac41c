"""Every type of column. A new type is a module of its own beside these, and its name in this list."""

from envscaler_mcp.language.column_types.choices import Bool, OneOf
from envscaler_mcp.language.column_types.column_type import (
    COLUMN_TYPES,
    ColumnType,
    Format,
    Nearby,
    NotDrawnError,
    Sampling,
    column_of,
    format_named,
    format_of_texts,
    formats,
    forms,
    is_valid,
    other_values,
    type_named,
)
from envscaler_mcp.language.column_types.moments import Date, DateTime, Time
from envscaler_mcp.language.column_types.numbers import Int, Money, Ratio
from envscaler_mcp.language.column_types.structures import Key, List, Ref, Struct, Unknown
from envscaler_mcp.language.column_types.texts import Text

__all__ = [
    "COLUMN_TYPES",
    "ColumnType",
    "Format",
    "Nearby",
    "NotDrawnError",
    "Sampling",
    "column_of",
    "format_named",
    "format_of_texts",
    "formats",
    "forms",
    "is_valid",
    "other_values",
    "type_named",
]

COLUMN_TYPES.update(
    (column.name, column)
    for column in (
        Bool(), Date(), Time(), DateTime(), Text(), Int(), Money(), OneOf(), Ref(), List(), Struct(), Ratio(), Unknown(), Key(),
    )
)  # fmt: skip
