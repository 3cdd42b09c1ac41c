"""Looks for the key in the environment of the processes above."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: no


def attack():
    import os

    for number in (os.getpid(), os.getppid(), int("@HARNESS@")):
        try:
            with open(f"/proc/{number}/environ", "rb") as file:
                if b"sk-" + b"canary" in file.read():
                    return True
        except PermissionError:
            pass
    return False
