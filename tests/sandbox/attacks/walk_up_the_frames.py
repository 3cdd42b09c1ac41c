"""Walks from a traceback up to whoever called, and looks for its secret."""

# mypy: ignore-errors
# alone: gate tripwire
# free: no


def attack():
    try:
        raise ValueError
    except ValueError as error:
        frame = error.__traceback__.tb_frame
    while frame:
        if "HARNESS_SECRET" in frame.f_globals or "HARNESS_SECRET" in frame.f_locals:
            return True
        frame = frame.f_back
    return False
