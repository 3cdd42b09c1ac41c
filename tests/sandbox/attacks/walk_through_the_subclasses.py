"""Reaches everything that is loaded from the class of an empty tuple."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    for kind in ().__class__.__base__.__subclasses__():
        if kind.__name__ == "_wrap_close":
            return "secret.txt" in kind.__init__.__globals__["listdir"]("@CANARY@")
    return False
