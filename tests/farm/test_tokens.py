"""What a token is good for, and what is none."""

from __future__ import annotations

import stat
import string
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envscaler_mcp.errors import LaunchError
from envscaler_mcp.farm.tokens import Scope, allows, kept_secret, secret_of, token_for

SECRET = b"a secret that is long enough for a farm"
OTHER = b"a secret of a farm that is another one"
SCOPES: tuple[Scope, ...] = ("agent", "control", "read")
LETTERS = string.ascii_letters + string.digits + "-_. é\0"


def test_a_token_is_good_for_its_scope_and_control_for_all() -> None:
    good = {
        (scope, wanted) for scope in SCOPES for wanted in SCOPES if allows(SECRET, token_for(SECRET, scope, 60), wanted)
    }
    assert good == {("agent", "agent"), ("read", "read"), *(("control", wanted) for wanted in SCOPES)}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_token_with_any_letter_altered_is_none(scope: Scope) -> None:
    token = token_for(SECRET, scope, 60)
    for place, letter in enumerate(token):
        for other in LETTERS.replace(letter, ""):
            assert not allows(SECRET, token[:place] + other + token[place + 1 :], scope)


@pytest.mark.parametrize("scope", SCOPES)
def test_a_token_that_lacks_a_letter_or_has_one_more_is_none(scope: Scope) -> None:
    token = token_for(SECRET, scope, 60)
    for place in range(len(token)):
        assert not allows(SECRET, token[:place] + token[place + 1 :], scope)
        assert not allows(SECRET, token[:place] + "a" + token[place:], scope)
    assert not allows(SECRET, token + token, scope)


def test_a_token_is_over_when_it_says_so() -> None:
    assert not allows(SECRET, token_for(SECRET, "control", -1), "read")
    assert not allows(SECRET, token_for(SECRET, "control", 0), "read")


def test_a_token_of_another_farm_is_none() -> None:
    assert not allows(SECRET, token_for(OTHER, "control", 60), "read")


def test_no_two_tokens_are_the_same() -> None:
    assert len({token_for(SECRET, "read", 60) for _ in range(100)}) == 100


def test_a_scope_that_is_none_is_good_for_nothing() -> None:
    for scope in ("", "everything", "control.read"):
        token = token_for(SECRET, scope, 60)  # type: ignore[arg-type]
        assert not any(allows(SECRET, token, wanted) for wanted in SCOPES)


@given(st.text(max_size=300) | st.text("envscaler.control0123456789abcdef", max_size=300))
def test_no_garbage_is_a_token(garbage: str) -> None:
    assert not allows(SECRET, garbage, "read")


def test_a_secret_is_made_once_for_this_user_alone(tmp_path: Path) -> None:
    file = tmp_path / "state" / "secret"
    secret = kept_secret(file)
    assert kept_secret(file) == secret
    assert len(secret) >= 64
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert list(file.parent.iterdir()) == [file]


def test_farms_that_begin_at_the_same_moment_have_the_same_secret(tmp_path: Path) -> None:
    for number in range(20):
        found: list[bytes] = []
        start = threading.Barrier(4)

        def begin(file: Path = tmp_path / str(number), start: threading.Barrier = start) -> None:
            start.wait()
            found.append(kept_secret(file))  # noqa: B023 - the threads end with the turn

        threads = [threading.Thread(target=begin) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(found) == 4
        assert len(set(found)) == 1


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o660])
def test_a_secret_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "secret"
    kept_secret(file)
    file.chmod(mode)
    with pytest.raises(LaunchError, match=r"Others may read .*chmod 600"):
        kept_secret(file)


def test_a_short_secret_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text("short\n")
    file.chmod(0o600)
    with pytest.raises(LaunchError, match="too short; remove the file"):
        kept_secret(file)
    with pytest.raises(LaunchError, match="openssl rand"):
        secret_of("x" * 31 + "  ")
    assert secret_of("x" * 32 + "\n") == b"x" * 32


def test_a_place_where_no_secret_can_be_kept_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(LaunchError, match="cannot be kept in"):
        kept_secret(tmp_path / "file" / "secret")
