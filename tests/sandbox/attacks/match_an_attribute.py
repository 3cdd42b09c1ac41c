"""Reads attributes by patterns instead of by dots."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    match ():
        case object(__class__=kind):
            pass
    match kind:
        case object(__base__=base):
            pass
    match base:
        case object(__subclasses__=below):
            pass
    for kind in below():
        if kind.__name__ == "_wrap_close":
            match kind:
                case object(__init__=begin):
                    pass
            match begin:
                case object(__globals__=found):
                    return "secret.txt" in found["listdir"]("@CANARY@")
    return False
