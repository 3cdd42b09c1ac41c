"""`python -m envscaler_mcp` is the program `envscaler`."""

from envscaler_mcp.cli import main

if __name__ == "__main__":
    main()
