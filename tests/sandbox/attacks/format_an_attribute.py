"""Reads attributes with a format text that no gate sees."""

# mypy: ignore-errors
# alone: gate
# free: harmless


class _Thing:
    def __init__(self):
        self.name = "x"


def attack():
    text = "{0.__" + "init__.__glo" + "bals__}"
    return "__builtins__" in text.format(_Thing())
