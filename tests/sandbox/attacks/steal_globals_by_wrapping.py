"""Copies the globals of a library function into its own with functools.wraps."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes

import functools
import json


def attack():
    functools.wraps(json.loads).func(attack, json.loads, assigned=(), updated=("__glo" + "bals__",))
    return "CANARY" in codecs.open("@CANARY@/secret.txt").read()
