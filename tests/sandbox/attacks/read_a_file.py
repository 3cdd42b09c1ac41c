"""Reads a file of the host with open()."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    with open("@CANARY@/secret.txt") as file:
        return "CANARY" in file.read()
