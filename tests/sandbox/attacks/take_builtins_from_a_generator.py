"""Takes the unguarded builtins from the frames around a generator."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    def walk():
        yield found.gi_frame.f_back.f_back

    found = walk()
    frame = next(found)
    while frame:
        if "open" in frame.f_builtins:
            return "CANARY" in frame.f_builtins["open"]("@CANARY@/secret.txt").read()
        frame = frame.f_back
    return False
