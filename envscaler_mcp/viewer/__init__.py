"""Runs that people look at: what happened when, beside the task that it was about."""
