"""Makes a class with a hook from a mapping, where no gate reads its body."""

# mypy: ignore-errors
# alone: gate
# free: harmless


def attack():
    made = type("Made", (), {"__getattr" + "ibute__": lambda self, name: "caught"})
    return made().anything == "caught"
