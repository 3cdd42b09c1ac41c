"""The files of the studio, as a browser loads them: one page, its modules and its style, all from this package."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

STATIC = Path(__file__).parent / "static"
PREFIX = "/studio"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS: Mapping[str, str] = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


@cache
def _file(name: str) -> tuple[bytes, str]:
    """What a file holds, and its tag."""
    content = (STATIC / name).read_bytes()
    return content, f'"{hashlib.sha256(content).hexdigest()[:32]}"'


@cache
def _names() -> frozenset[str]:
    return frozenset(file.name for file in STATIC.iterdir() if file.suffix in _TYPES)


def file_named(name: str, request: Request) -> Response:
    """A file of the studio; 304 where the browser has it already."""
    if name not in _names():
        raise HTTPException(404, "There is no such page.")
    content, tag = _file(name)
    headers = {**_HEADERS, "etag": tag}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=_TYPES[Path(name).suffix], headers=headers)


async def static_file(request: Request) -> Response:
    """The file that a path names."""
    return file_named(request.path_params["file"], request)
