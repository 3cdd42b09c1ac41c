"""Lifts a bound on itself."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))
    return True
