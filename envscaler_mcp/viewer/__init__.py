"""Recorded runs for readers: what happened when, beside its task."""
