"""Experiments on top of the package that can be run again with one command."""
