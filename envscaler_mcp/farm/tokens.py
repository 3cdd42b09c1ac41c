"""Tokens that say what they are good for and until when, made and checked with the farm's secret."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
import time
from pathlib import Path

from envscaler_mcp.config import choices
from envscaler_mcp.errors import LaunchError

Scope = choices.TokenScope
"""Calling tools; owning worlds, which includes the other two; looking at the catalogue and the figures."""

_ALLOWS: dict[str, frozenset[Scope]] = {
    "agent": frozenset({"agent"}),
    "control": frozenset({"agent", "control", "read"}),
    "read": frozenset({"read"}),
}
_MARK = "envscaler"
_LONGEST = 256
_SHORTEST = 32


def token_for(secret: bytes, scope: Scope, seconds: float) -> str:
    """A token of this scope, good for so long."""
    claim = f"{_MARK}.{scope}.{int(time.time() + seconds)}.{secrets.token_urlsafe(12)}"
    return f"{claim}.{_signature(secret, claim)}"


def allows(secret: bytes, token: str, wanted: Scope) -> bool:
    """Whether a token was made with this secret, is not over, and is good for what is wanted."""
    if len(token) > _LONGEST or not token.isascii():
        return False
    claim, _, signature = token.rpartition(".")
    if not hmac.compare_digest(signature.encode(), _signature(secret, claim).encode()):
        return False
    words = claim.split(".")
    return (
        len(words) == 4
        and words[0] == _MARK
        and wanted in _ALLOWS.get(words[1], ())
        and words[2].isascii()
        and words[2].isdigit()
        and int(words[2]) > time.time()
    )


def seconds_left(token: str) -> float:
    """How long a valid token is still good."""
    return int(token.split(".")[2]) - time.time()


def _signature(secret: bytes, claim: str) -> str:
    return hmac.new(secret, f"token {claim}".encode(), hashlib.sha256).hexdigest()


def kept_secret(file: Path) -> bytes:
    """The secret in a file that only this user can read; made there when it is first needed."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not file.exists():
            _make(file)
        if file.stat().st_mode & 0o077:
            raise LaunchError(
                f"Others may read the farm's secret in {file}; `chmod 600` it, or remove it to have it made anew."
            )
        secret = file.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as cause:
        raise LaunchError(f"The farm's secret cannot be kept in {file}: {cause}") from cause
    if len(secret.strip()) < _SHORTEST:
        raise LaunchError(f"The farm's secret in {file} is too short; remove the file to have it made anew.")
    return secret_of(secret)


def _make(file: Path) -> None:
    """Make a secret, whole before it is seen: another farm may begin at the same moment, and the first one counts."""
    made = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as writing:
            writing.write(secrets.token_hex(32) + "\n")
        with contextlib.suppress(FileExistsError):
            file.hardlink_to(made)
    finally:
        made.unlink(missing_ok=True)


def secret_of(text: str) -> bytes:
    """The secret in a text; a short one would be guessed."""
    if len(text.strip()) < _SHORTEST:
        raise LaunchError(
            f"The farm's secret must have at least {_SHORTEST} letters; `openssl rand -hex 32` makes one."
        )
    return text.strip().encode()
