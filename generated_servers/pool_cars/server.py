"""Serves Pool cars. Emitted from blueprint.yaml; `envscaler build pool_cars` writes it again."""

from pathlib import Path

from envscaler_mcp.trust.server import main

if __name__ == "__main__":
    main(Path(__file__).parent)
