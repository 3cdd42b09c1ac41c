"""Serves Package registry. Emitted from blueprint.yaml; `envscaler build package_registry` writes it again."""

from pathlib import Path

from envscaler_mcp.trust.server import main

if __name__ == "__main__":
    main(Path(__file__).parent)
