"""BFCL multi-turn, in its third and its fourth edition."""
