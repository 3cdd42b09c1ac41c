"""Talks to a daemon over an abstract Unix socket, which has no path."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    import socket

    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(1)
        line.connect("@ABSTRACT@")
        line.sendall(b"leak")
        return line.recv(4) == b"got!"
