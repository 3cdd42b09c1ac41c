"""`python -m envscaler_mcp.trust FOLDER [options]`: a server of a folder, whatever program lies in it."""

import sys
from pathlib import Path

from envscaler_mcp.trust.server import main

if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
