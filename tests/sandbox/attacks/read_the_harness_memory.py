"""Opens the memory of the harness."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: no


def attack():
    with open("/proc/@HARNESS@/mem", "rb"):
        return "@USER@" != "root"
