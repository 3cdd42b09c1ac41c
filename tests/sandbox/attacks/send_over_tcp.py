"""Sends what it knows to a server."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    import socket

    with socket.create_connection(("127.0.0.1", int("@TCP@")), timeout=1) as line:
        line.sendall(b"leak")
        return line.recv(4) == b"got!"
