"""Reading a response body under a cap that counts decompressed bytes, so that no bomb is ever held in memory."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Iterator, Sequence
from typing import Final

import httpx

from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.wire import Fault

ACCEPT_ENCODING: Final = "gzip, deflate"
# A few kilobytes may inflate to megabytes: that is done in pieces, between which the event loop has its turn.
_PIECE_BYTES: Final = 256 * 1024
_LONGEST_TURN_S: Final = 0.005


async def read_body(response: httpx.Response, max_bytes: int) -> tuple[bytes, bool]:
    """Return the decompressed body, and whether it was cut at `max_bytes`.

    Raises:
        Fault: UNREADABLE for a broken or incomplete compressed body, or an encoding that was not asked for.
    """
    decoders = [_decoder(name) for name in _encodings(response)]
    body = bytearray()
    async for chunk in response.aiter_raw():
        resumed = time.monotonic()
        for piece in _decoded(chunk, decoders):
            body += piece
            if len(body) > max_bytes:
                return bytes(body[:max_bytes]), True
            if time.monotonic() - resumed > _LONGEST_TURN_S:
                await asyncio.sleep(0)
                resumed = time.monotonic()
    if body and not all(decoder.complete for decoder in decoders):
        raise Fault(ErrorKind.UNREADABLE, "compressed answer cut off", status=response.status_code)
    return bytes(body), False


def _decoded(data: bytes, decoders: Sequence[_Zlib]) -> Iterator[bytes]:
    """Yield what `data` becomes in all decoders, piece by piece."""
    if not decoders:
        yield data
        return
    for piece in decoders[0].feed(data):
        yield from _decoded(piece, decoders[1:])


def _encodings(response: httpx.Response) -> list[str]:
    """Return the encodings to undo, the outermost first."""
    names = response.headers.get("content-encoding", "").lower().split(",")
    return [name.strip() for name in reversed(names) if name.strip() not in ("", "identity")][:2]


def _decoder(name: str) -> _Zlib:
    if name in ("gzip", "x-gzip"):
        return _Zlib(zlib.MAX_WBITS | 16)
    if name == "deflate":
        return _Zlib(zlib.MAX_WBITS)
    raise Fault(ErrorKind.UNREADABLE, f"answer in the encoding {name[:20]!r}, which was not asked for")


class _Zlib:
    """Inflates gzip (also of several members) and deflate (with or without its zlib header)."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._inflate: zlib._Decompress | None = None
        self._held = b""
        self.complete = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what `data` inflates to, in pieces that are never large."""
        data, self._held = self._held + data, b""
        if self._inflate is None:
            if len(data) < 2:
                self._held = data
                return
            if self._wbits == zlib.MAX_WBITS and not _has_zlib_header(data):
                self._wbits = -zlib.MAX_WBITS
            self._inflate = zlib.decompressobj(self._wbits)
        held_back = False
        while (data or held_back) and not (self.complete and self._wbits <= zlib.MAX_WBITS):
            if self.complete:
                self._inflate, self.complete = zlib.decompressobj(self._wbits), False
            try:
                piece = self._inflate.decompress(data, _PIECE_BYTES)
            except zlib.error as error:
                raise Fault(ErrorKind.UNREADABLE, "compressed answer is damaged") from error
            yield piece
            self.complete = self._inflate.eof
            # All that came may have been taken in, and not all of it given out.
            held_back = len(piece) == _PIECE_BYTES and not self.complete
            data = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail


def _has_zlib_header(data: bytes) -> bool:
    """Whether a deflate body begins as RFC 1950 has it; many servers send the bare stream of RFC 1951."""
    return data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0
