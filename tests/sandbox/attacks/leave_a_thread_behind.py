"""Leaves a thread behind that goes on after the call has returned."""

# mypy: ignore-errors
# alone: gate limits kernel
# free: yes


def attack():
    import threading

    done = threading.Event()
    threading.Thread(target=done.set, daemon=True).start()
    return done.wait(1)
