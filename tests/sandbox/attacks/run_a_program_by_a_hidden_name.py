"""Hides the import of os from a reader of text, then runs a program."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    module = __import__("o" + "s")
    return "uid=" in getattr(module, "pop" + "en")("id").read()
