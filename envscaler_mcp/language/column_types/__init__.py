"""Every type of column. A new type is a module of its own beside these, and its name in this list."""

from envscaler_mcp.language.column_types.choices import BoolType, OneOfType
from envscaler_mcp.language.column_types.column_type import (
    COLUMN_TYPES,
    ColumnType,
    Nearby,
    NotDrawnError,
    Sampling,
    TextFormat,
    column_of,
    format_named,
    format_of_texts,
    formats,
    forms,
    is_valid,
    other_values,
    type_named,
)
from envscaler_mcp.language.column_types.moments import DateTimeType, DateType, TimeType
from envscaler_mcp.language.column_types.numbers import IntType, MoneyType, RatioType
from envscaler_mcp.language.column_types.structures import KeyType, ListType, RefType, StructType, UnknownType
from envscaler_mcp.language.column_types.texts import TextType

__all__ = [
    "COLUMN_TYPES",
    "ColumnType",
    "Nearby",
    "NotDrawnError",
    "Sampling",
    "TextFormat",
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
        BoolType(), DateType(), TimeType(), DateTimeType(), TextType(), IntType(), MoneyType(), OneOfType(), RefType(), ListType(), StructType(), RatioType(), UnknownType(), KeyType(),
    )
)  # fmt: skip
