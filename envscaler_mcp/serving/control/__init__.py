"""The control plane: what the owner of a world does with it over HTTP, for a single server and for a farm.

`schemas.py` holds the operations and the bodies of requests and answers, `plane.py` answers them, `client.py` is the
client, and `server.py` is the control plane of a single server. The farm's is `farm/control_plane.py`. Agents reach none of it.
"""
