"""Serves Invoice matching. Emitted from blueprint.yaml; `envscaler build invoice_matching` writes it again."""

from pathlib import Path

from envscaler_mcp.trust.server import main

if __name__ == "__main__":
    main(Path(__file__).parent)
