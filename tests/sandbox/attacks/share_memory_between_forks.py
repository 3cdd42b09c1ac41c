"""Takes memory that every fork of this worker would see."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    import ctypes

    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    place = libc.mmap(None, 4096, 3, 0x21, -1, 0)
    return place not in (None, ctypes.c_void_p(-1).value)
