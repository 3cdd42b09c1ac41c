"""The farm on a Ray cluster: its worlds live in actors on the nodes, and one process in front knows which holds what."""
