"""Serves Visa applications. Emitted from blueprint.yaml; `envscaler build visa_applications` writes it again."""

from pathlib import Path

from envscaler_mcp.trust.server import main

if __name__ == "__main__":
    main(Path(__file__).parent)
