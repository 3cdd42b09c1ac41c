"""Takes more memory than it may have."""

# mypy: ignore-errors
# alone: limits
# free: yes


def attack():
    kept = []
    for _ in range(10):
        kept.append(bytearray(64 << 20))
    return len(kept) == 10
