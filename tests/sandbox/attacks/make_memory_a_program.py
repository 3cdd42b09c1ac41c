"""Asks for memory that can be run."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    import mmap

    with mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC):
        return True
