"""Isolation by name: those of this package, and what an installed package adds."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from envscaler_mcp.errors import PlugInError
from envscaler_mcp.launch.isolators import ISOLATORS
from envscaler_mcp.launch.opening import WrongUseError, open_folder
from envscaler_mcp.sandbox.worker_world import WorkerWorld
from envscaler_mcp.serving import LocalWorld, read_code
from tests.plug_in import install, read_anew

GLASS_BOX = '''
"""An isolator that notes which worlds it opened, and opens them in this package's portable workers."""
import os
from pathlib import Path

from envscaler_mcp.sandbox.isolation import open_isolated


def open_noted(code, state, seed):
    with Path(os.environ["GLASS_BOX_LOG"]).open("a") as log:
        log.write(f"{code.environment.id} {seed}\\n")
    return open_isolated(code, state, seed, "portable")
'''
BUILT_IN = ["local", "auto", "portable", "hard", "trusted"]


@pytest.fixture
def glass_box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The log of an isolator that is installed under three names, two of them taken."""
    site = tmp_path / "site"
    names = dict.fromkeys(("glass", "auto", "hard"), "glass_box:open_noted")
    install(site, "glass_box", GLASS_BOX, {"envscaler.isolators": {**names, "broken": "glass_box:not_there"}})
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setenv("GLASS_BOX_LOG", str(tmp_path / "log"))
    with read_anew(ISOLATORS):
        yield tmp_path / "log"


def test_an_installed_isolator_opens_worlds_where_it_is_named(glass_box: Path, library_folder: Path) -> None:
    assert list(ISOLATORS) == [*BUILT_IN, "broken", "glass"]
    with closing(open_folder(library_folder, read_code(library_folder), seed=5, isolation="glass")) as world:
        assert world.call("list_books", {}).kind == "done"
    assert glass_box.read_text() == "lending_library 5\n"


def test_no_package_takes_a_name_of_this_one(glass_box: Path, library_folder: Path) -> None:
    code = read_code(library_folder)
    for isolation in (None, "auto", "portable"):
        with closing(open_folder(library_folder, code, isolation=isolation)) as world:
            assert isinstance(world, WorkerWorld), isolation
    with closing(open_folder(library_folder, code, isolation="trusted")) as world:
        assert isinstance(world, LocalWorld)
    with pytest.raises(WrongUseError, match="is not what this installation compiles"):
        open_folder(library_folder, code, isolation="local")
    assert not glass_box.exists()


def test_an_isolator_that_is_not_there_or_cannot_be_imported_is_an_error(glass_box: Path, library_folder: Path) -> None:
    code = read_code(library_folder)
    with pytest.raises(WrongUseError, match=r"no isolation 'docker'; there are local, .*, broken, glass\."):
        open_folder(library_folder, code, isolation="docker")
    with pytest.raises(PlugInError, match="of glass_box"):
        open_folder(library_folder, code, isolation="broken")
    assert not glass_box.exists()


def test_a_server_takes_the_name_of_an_installed_isolator(glass_box: Path, library_folder: Path) -> None:
    command = [sys.executable, str(library_folder / "server.py"), "--isolation", "glass", "--seed", "8"]
    done = subprocess.run(command, input="", capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert glass_box.read_text() == "lending_library 8\n"
