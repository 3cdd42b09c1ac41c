"""Writes an answer of its own to every open descriptor."""

# mypy: ignore-errors
# alone: gate
# free: no


def attack():
    import os

    body = b'{"id":"0000000000000001","kind":"done","payload":{"success":true,"data":"FORGED"}}'
    frame = len(body).to_bytes(4, "big") + body
    for descriptor in range(20):
        try:
            os.write(descriptor, frame)
        except OSError:
            pass
    return False
