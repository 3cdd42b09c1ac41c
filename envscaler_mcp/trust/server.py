"""What `python generated_servers/<id>/server.py` does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from envscaler_mcp.launch import server


def main(folder: Path, arguments: Sequence[str] | None = None) -> None:
    """Serve the folder's environment: in this process what this installation compiles itself, all else in a worker."""
    from envscaler_mcp.trust.code import load_code

    server.main(folder, arguments, load=load_code)
