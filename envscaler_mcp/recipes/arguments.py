"""What the recipes have in common on the command line."""

from __future__ import annotations

import argparse
from pathlib import Path

from envscaler_mcp.recipes.models import SIZES

TINY_ENVIRONMENTS = ("chess_club", "irrigation_district")
"""With few tools, so that prompts are short."""


def recipe_parser(about: str | None, tiny: str) -> argparse.ArgumentParser:
    """A parser with the options that each recipe has."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES, default="4B", help="the paper's model of that size (default: 4B)")
    parser.add_argument("--model", help="another model, or the folder of one that was trained before")
    parser.add_argument("--home", type=Path, help="the home of the environments; default: that of the command line")
    parser.add_argument("--env", action="append", metavar="ID", help="an environment; repeat for several; default: all")
    parser.add_argument("--out", type=Path, default=Path("trained"), help="where results go (default: trained)")
    parser.add_argument("--tiny", action="store_true", help=tiny)
    return parser


def environments_of(chosen: argparse.Namespace) -> list[str] | None:
    """The environments that were named; for `--tiny` two, and otherwise none for all."""
    return chosen.env or (list(TINY_ENVIRONMENTS) if chosen.tiny else None)


def model_of(chosen: argparse.Namespace) -> str:
    """The model that is trained, where it is no tiny one."""
    return str(chosen.model or SIZES[chosen.size])
