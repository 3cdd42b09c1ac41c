"""Lets a regular expression try everything."""

# mypy: ignore-errors
# alone: process
# free: no

import re


def attack():
    return re.match("(a|a)+$", "a" * 40 + "b") is None
