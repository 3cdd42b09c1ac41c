"""The farm as a service: every world behind one address, for agents, for whoever owns worlds, and for programs that look."""
