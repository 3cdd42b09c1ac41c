"""Serves Container terminal. Emitted from blueprint.yaml; `envscaler build container_terminal` writes it again."""

from pathlib import Path

from envscaler_mcp.trust.server import main

if __name__ == "__main__":
    main(Path(__file__).parent)
