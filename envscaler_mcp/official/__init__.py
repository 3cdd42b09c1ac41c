"""Benchmarks of other authors, played here and judged by their own code.

The room is called `official` because all it adds to an episode is how the authors have it: their classes, their words,
their endings and their verdicts. The folder `benchmarks` beside the package is about speed.
"""
