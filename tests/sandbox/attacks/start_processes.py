"""Starts twenty processes, a small stand-in for a fork bomb."""

# mypy: ignore-errors
# alone: gate limits tripwire kernel
# free: yes


def attack():
    import os

    made = []
    for _ in range(20):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        made.append(pid)
    for pid in made:
        os.waitpid(pid, 0)
    return len(made) == 20
