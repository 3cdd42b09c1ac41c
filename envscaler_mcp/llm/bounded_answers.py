"""The HTTP client of an endpoint: an answer has so many bytes, counted as they are after unpacking."""

from __future__ import annotations

import ssl
import zlib
from collections.abc import AsyncIterator
from functools import cache

import httpx2

MOST_BYTES = 8 * 1024 * 1024
"""Of one answer. Parsed, it takes some twenty times as much memory."""
_CONNECTIONS = httpx2.Limits(max_connections=1_000, max_keepalive_connections=100)


def bounded_client(timeout: float) -> httpx2.AsyncClient:
    """A client that reads no more than that, and goes to no other address than it is given."""
    # A transport of our own would leave out the proxies that the environment names.
    return httpx2.AsyncClient(
        limits=_CONNECTIONS,
        event_hooks={"response": [_bound]},
        headers={"accept-encoding": "gzip"},
        timeout=timeout,
        verify=_trusted(),
        follow_redirects=False,
    )


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that clients trust, read once: reading them takes longer than making the rest of a client."""
    return httpx2.create_ssl_context()


async def _bound(response: httpx2.Response) -> None:
    """Unpack the body here, before the client would."""
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    packed = response.headers.pop("content-encoding", "identity").strip().lower()
    if packed not in ("gzip", "identity"):
        raise httpx2.DecodingError(f"the answer is packed as {packed[:40]!r}, which was not asked for")
    response.stream = _Bounded(response.stream, unpacks=packed == "gzip")


class _Bounded(httpx2.AsyncByteStream):
    """A body as it was packed, without more than `MOST_BYTES` being unpacked at any time."""

    def __init__(self, stream: httpx2.AsyncByteStream, *, unpacks: bool) -> None:
        self._stream = stream
        self._unpacks = unpacks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        unpacking, room = zlib.decompressobj(zlib.MAX_WBITS | 16), MOST_BYTES
        async for piece in self._stream:
            try:
                read = unpacking.decompress(piece, room + 1) if self._unpacks else piece
            except zlib.error as cause:
                raise httpx2.DecodingError(f"the answer cannot be unpacked: {cause}") from cause
            room -= len(read)
            if room < 0:
                raise httpx2.DecodingError(f"the answer is longer than {MOST_BYTES >> 20} MiB")
            yield read

    async def aclose(self) -> None:
        await self._stream.aclose()
