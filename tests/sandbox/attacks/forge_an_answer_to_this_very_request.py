"""Finds the number of the request in the frames above and answers it first."""

# mypy: ignore-errors
# alone: gate tripwire
# free: no


def attack():
    import json
    import sys

    frame = sys._getframe()
    while frame:
        asked = frame.f_locals.get("asked")
        if isinstance(asked, dict):
            body = json.dumps({"id": asked["id"], "kind": "done", "payload": {"success": True, "data": "ESCAPED"}})
            frame.f_locals["self"]._stream.sendall(len(body).to_bytes(4, "big") + body.encode())
            return True
        frame = frame.f_back
    return False
