"""Reading a response body under a cap that counts decompressed bytes, so that no bomb is ever held in memory."""

from __future__ import annotations

import zlib
from typing import Final, Protocol

import httpx

from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.wire import Fault

ACCEPT_ENCODING: Final = "gzip, deflate"


async def read_body(response: httpx.Response, max_bytes: int) -> tuple[bytes, bool]:
    """Return the decompressed body, and whether it was cut at `max_bytes`.

    Raises:
        Fault: UNREADABLE for a broken or incomplete compressed body, or an encoding that was not asked for.
    """
    decoders = [_decoder(name) for name in _encodings(response)]
    body = bytearray()
    async for chunk in response.aiter_raw():
        for decoder in decoders:
            # One byte of room more than allowed tells a body that just fits from one that does not.
            chunk = decoder.feed(chunk, max_bytes + 1 - len(body))
        body += chunk
        if len(body) > max_bytes:
            return bytes(body[:max_bytes]), True
    if body and not all(decoder.complete for decoder in decoders):
        raise Fault(ErrorKind.UNREADABLE, "compressed answer cut off", status=response.status_code)
    return bytes(body), False


def _encodings(response: httpx.Response) -> list[str]:
    """Return the encodings to undo, the outermost first."""
    names = response.headers.get("content-encoding", "").lower().split(",")
    return [name.strip() for name in reversed(names) if name.strip() not in ("", "identity")][:2]


class _Decoder(Protocol):
    complete: bool

    def feed(self, data: bytes, room: int) -> bytes: ...


def _decoder(name: str) -> _Decoder:
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

    def feed(self, data: bytes, room: int) -> bytes:
        """Return at most `room` decompressed bytes; what `data` holds beyond that is dropped, as the caller stops."""
        data, self._held = self._held + data, b""
        if self._inflate is None:
            if len(data) < 2:
                self._held = data
                return b""
            if self._wbits == zlib.MAX_WBITS and not _has_zlib_header(data):
                self._wbits = -zlib.MAX_WBITS
            self._inflate = zlib.decompressobj(self._wbits)
        out = bytearray()
        while data and len(out) < room and not (self.complete and self._wbits <= zlib.MAX_WBITS):
            if self.complete:
                self._inflate, self.complete = zlib.decompressobj(self._wbits), False
            try:
                out += self._inflate.decompress(data, room - len(out))
            except zlib.error as error:
                raise Fault(ErrorKind.UNREADABLE, "compressed answer is damaged") from error
            self.complete = self._inflate.eof
            data = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail
        return bytes(out)


def _has_zlib_header(data: bytes) -> bool:
    """Whether a deflate body begins as RFC 1950 has it; many servers send the bare stream of RFC 1951."""
    return data[0] & 0x0F == 8 and (data[0] << 8 | data[1]) % 31 == 0
