"""Returns an answer of a hundred megabytes."""

# mypy: ignore-errors
# alone: process
# free: no


def attack():
    return "ESCAPED" * 1_500_000
