"""The farm of this user is found where only this user can listen, and no other listener gets a token of it."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from envscaler_mcp import rl
from envscaler_mcp.farm.tokens import kept_secret, seconds_left
from envscaler_mcp.rl.farm import own_farm
from envscaler_mcp.settings import Settings
from tests.farm.farms import farm_program


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Settings:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "envscaler").mkdir(mode=0o700)
    return Settings.read()


def listening(file: Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.bind(str(file))
    sock.listen()
    return sock


def test_the_socket_of_a_farm_that_was_killed_wins_over_none_that_lives(settings: Settings) -> None:
    listening(settings.farm_socket).close()
    first, second = settings.state / "farm-1.sock", settings.state / "farm-2.sock"
    with listening(first), listening(second) as later:
        os.utime(first, (1, 1))
        assert own_farm(settings) == str(second)
        later.close()
        assert own_farm(settings) == str(first)
    assert own_farm(settings) == str(settings.farm_socket)


def test_an_address_that_a_farm_left_behind_is_sent_nothing(settings: Settings) -> None:
    kept_secret(settings.farm_secret)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        taken.settimeout(0.5)
        (settings.state / "farm.address").write_text(f"{taken.getsockname()[1]}\n")
        with rl.connect(timeout=2) as gym, pytest.raises(rl.FarmLostError, match="`envscaler farm` starts one"):
            gym.environments()
        with pytest.raises(TimeoutError):
            taken.accept()


def test_a_token_that_is_made_for_a_connection_is_good_for_an_hour_and_made_anew(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_secret(settings.farm_secret)
    with rl.connect() as gym:
        first = gym.agent_headers["Authorization"]
        assert 3_500 < seconds_left(first) <= 3_600
        assert gym.agent_headers["Authorization"] == first
        monkeypatch.setattr("envscaler_mcp.rl.farm._RENEWED", 3_601.0)
        assert gym.agent_headers["Authorization"] != first


@pytest.fixture
def no_nohup() -> Iterator[None]:
    """Programs that are started here do not ignore a hang-up, also where these tests do."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.slow
@pytest.mark.usefixtures("no_nohup")
@pytest.mark.parametrize("ending", [signal.SIGHUP, signal.SIGTERM])
def test_a_farm_with_a_port_has_a_socket_file_until_it_is_asked_to_end(tmp_path: Path, ending: int) -> None:
    settings = Settings.read({**os.environ, "XDG_STATE_HOME": str(tmp_path)})
    with farm_program(tmp_path, processes=1) as program:
        file = settings.state / f"farm-{program.process.pid}.sock"
        assert own_farm(settings) == str(file)
        assert file.stat().st_mode & 0o077 == 0
        with rl.connect(own_farm(settings), program.token("control")) as gym:
            assert "hospital_stays" in gym.environments()
        program.process.send_signal(ending)
        assert program.process.wait(20) == 0
        assert not file.exists()


@pytest.mark.slow
def test_the_farm_that_stays_is_the_one_that_is_found(tmp_path: Path) -> None:
    settings = Settings.read({**os.environ, "XDG_STATE_HOME": str(tmp_path)})
    with farm_program(tmp_path, processes=1) as stays:
        with farm_program(tmp_path, processes=1) as ends:
            assert own_farm(settings) == str(settings.state / f"farm-{ends.process.pid}.sock")
        assert own_farm(settings) == str(settings.state / f"farm-{stays.process.pid}.sock")
