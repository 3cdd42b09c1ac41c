"""Loaded by `make test`: a property that names no number of examples gets 30; `make test-slow` tries all of them."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("fewer_examples", settings.default, max_examples=30)
settings.load_profile("fewer_examples")
