"""Reaches os through modules that look innocent."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes

import typing
import uuid


def attack():
    try:
        found = uuid.os
    except AttributeError:
        found = typing.sys.modules["os"]
    return "secret.txt" in found.listdir("@CANARY@")
