"""One server folder, served by a process of its own.

Help and wrong options are answered at once; everything heavy is imported when it is known to be needed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from envscaler_mcp.serving import EnvironmentCode

Load = Callable[[Path], "EnvironmentCode"]
"""Reads a folder's code, and says whether it may run in this process."""


def main(folder: Path, arguments: Sequence[str] | None = None, *, load: Load | None = None, vouched: str = "") -> None:
    """Serve the folder's environment and end the process: 0 done, 1 it could not be served, 2 wrong use.

    The code runs in a worker, unless `load` knows better or its digest is the one that the caller vouches for.
    """
    options = _parser(folder).parse_args(arguments)
    from functools import partial

    from envscaler_mcp.processes.collector import starting

    with starting():
        from envscaler_mcp.launch.server_process import run
        from envscaler_mcp.serving import read_code

    raise SystemExit(run(folder, options, load or partial(read_code, vouched=vouched)))


def _parser(folder: Path) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="server.py",
        description=f"Serve the environment {folder.name} over the Model Context Protocol: on standard input and "
        "output, or over HTTP. Each start begins a new world.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--http", action="store_true", help="serve streamable HTTP instead of standard input and output")
    add("--port", type=int, default=0, help="the port for --http; any free one by default")
    add("--host", default="127.0.0.1", help="the address for --http; any but this machine's own needs --token-env")
    add("--token-env", metavar="NAME", help="the variable that holds the token which clients must send")
    add(
        "--allow-origin",
        action="append",
        metavar="ORIGIN",
        help="with --http, let web pages of this origin use the server, such as https://studio.example; repeat for several",
    )
    add("--state", metavar="NAME_OR_FILE", help="where the world begins; the folder's first state by default")
    add("--scenario", metavar="ID", help="begin at the state of one of the folder's tasks")
    add(
        "--prompts",
        choices=("train", "all", "none"),
        help="which tasks are offered as prompts, of those that begin at the same state: those of the split train by "
        "default, and none with --scenario, because the opener of a world at a task also tells it",
    )
    add("--seed", type=int, help="the seed of the world's chance; the state's own by default")
    add(
        "--isolation",
        metavar="NAME",
        help="where the code runs: local (here, only compiled code), auto or hard (in a worker), portable (in a worker, "
        "also without the kernel's layer), trusted (here, whatever it is); local for compiled code and auto for any "
        "other by default; or the name of an isolator that an installed package adds",
    )
    add(
        "--dialect",
        metavar="DIALECT",
        default="native",
        help="speak to agents in this dialect: native, the number of one, held-out-NUMBER for those that training never meets, "
        "or random for another at each start, which is then told on standard error; native by default",
    )
    add(
        "--disturb",
        metavar="NAMES",
        default="",
        help="disturb what is between agents and the world: kinds separated by commas, groups of them (observation, action, "
        "metadata, transition), or all; where they appear follows from --scenario and --seed; nothing by default",
    )
    add(
        "--control",
        metavar="PATH_OR_PORT",
        help="let clients with the token of --control-token-env open, read, mark and judge worlds over a unix socket at "
        "this path, or at this port of this machine",
    )
    add("--control-token-env", metavar="NAME", help="the variable that holds the token for --control")
    add("--with-parent", action="store_true", help="with --http, end when standard input is closed")
    add("--list-tools", action="store_true", help="print the tools and end")
    add("--json", action="store_true", help="with --list-tools, as JSON")
    return parser
