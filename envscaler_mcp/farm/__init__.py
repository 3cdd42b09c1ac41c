"""The farm as a service: every world behind one address, for agents, for owners of worlds, and for programs that only read."""
