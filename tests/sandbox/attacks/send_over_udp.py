"""Sends a datagram: Landlock alone lets it pass."""

# mypy: ignore-errors
# alone: gate tripwire kernel
# free: yes


def attack():
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.settimeout(1)
        line.sendto(b"leak", ("127.0.0.1", int("@UDP@")))
        return line.recv(4) == b"got!"
