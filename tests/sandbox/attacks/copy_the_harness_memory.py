"""Copies memory of the harness with a system call that opens nothing."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: no


def attack():
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    return libc.ptrace(16, int("@HARNESS@"), 0, 0) == 0
