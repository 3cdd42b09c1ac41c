"""Writes a program next to somebody's project."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    with open("@CANARY@/out/planted.py", "w") as file:
        file.write("")
    return True
