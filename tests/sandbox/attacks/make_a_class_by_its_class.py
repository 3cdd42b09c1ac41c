"""Makes a class whose attributes no gate has read, with what classes are made by."""

# mypy: ignore-errors
# alone: gate
# free: harmless


def attack():
    seen = []
    made = type(int)("Made", (), {"__getattr__": lambda self, name: seen.append(name)})
    made().anything
    return seen == ["anything"]
