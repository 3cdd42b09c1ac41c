"""Lets typing evaluate a text with its own builtins."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes

from typing import ForwardRef


def attack():
    text = "__import__('os').listdir('@CANARY@')"
    return "secret.txt" in str(ForwardRef(text)._evaluate({}, {}, recursive_guard=frozenset()))
