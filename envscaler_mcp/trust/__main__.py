"""`python -m envscaler_mcp.trust FOLDER [options]`: a server of a folder, whatever program lies in it."""

import sys
from pathlib import Path

from envscaler_mcp.trust import server


def main() -> None:
    """The program."""
    server.main(Path(sys.argv[1]), sys.argv[2:])


if __name__ == "__main__":
    main()
