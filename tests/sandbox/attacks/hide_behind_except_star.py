"""Uses a clause that gates have forgotten."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    try:
        raise ValueError
    except* ValueError:
        with open("@CANARY@/secret.txt") as file:
            found = file.read()
    return "CANARY" in found
