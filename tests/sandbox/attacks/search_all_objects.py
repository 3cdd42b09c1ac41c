"""Searches everything that lives in memory for a key."""

# mypy: ignore-errors
# alone: gate tripwire
# free: no


def attack():
    import gc

    wanted = "sk-" + "canary"
    return any(
        type(thing) is dict and any(type(value) is str and value.startswith(wanted) for value in thing.values())
        for thing in gc.get_objects()
    )
