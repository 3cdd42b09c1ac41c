"""Environments that a model writes: as a blueprint, or as a class one operation at a time."""
