from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator

import httpx
import pytest

from agentcompass_websearch.tools.body import read_body
from agentcompass_websearch.tools.wire import Fault

TEXT = b"some text, " * 1000


class Chunks(httpx.AsyncByteStream):
    """A body in pieces; counts how many were taken."""

    def __init__(self, data: bytes, size: int) -> None:
        self._pieces = [data[i : i + size] for i in range(0, len(data), size)]
        self.taken = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            self.taken += 1
            yield piece


async def read(data: bytes, encoding: str = "", *, most: int = 1_000_000, size: int = 1000) -> tuple[bytes, bool]:
    headers = {"content-encoding": encoding} if encoding else {}
    return await read_body(httpx.Response(200, headers=headers, stream=Chunks(data, size)), most)


def raw_deflate(data: bytes) -> bytes:
    maker = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return maker.compress(data) + maker.flush()


@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (TEXT, ""),
        (TEXT, "identity"),
        (gzip.compress(TEXT), "gzip"),
        (gzip.compress(TEXT), "X-GZip"),
        (gzip.compress(TEXT[:500]) + gzip.compress(TEXT[500:]), "gzip"),
        (zlib.compress(TEXT), "deflate"),
        (raw_deflate(TEXT), "deflate"),
        (gzip.compress(zlib.compress(TEXT)), "deflate, gzip"),
    ],
)
async def test_bodies_are_decompressed_however_they_arrive(data: bytes, encoding: str, size: int) -> None:
    assert await read(data, encoding, size=size) == (TEXT, False)


async def test_an_empty_body() -> None:
    assert await read(b"") == (b"", False)
    assert await read(b"", "gzip") == (b"", False)


@pytest.mark.parametrize(("most", "cut"), [(10_999, True), (11_000, False), (11_001, False)])
async def test_the_cap_counts_decompressed_bytes(most: int, cut: bool) -> None:
    for data, encoding in (
        (TEXT, ""),
        (gzip.compress(TEXT), "gzip"),
        (gzip.compress(gzip.compress(TEXT)), "gzip, gzip"),
    ):
        body, was_cut = await read(data, encoding, most=most)
        assert was_cut is cut
        assert body == TEXT[:most]


@pytest.mark.parametrize("chunk_bytes", [1, 100, 1_000_000])
async def test_nothing_is_lost_where_one_piece_ends(chunk_bytes: int) -> None:
    for size in (262_143, 262_144, 262_145, 524_288, 700_000):
        data = bytes(size)
        for packed, encoding in ((gzip.compress(data), "gzip"), (raw_deflate(data), "deflate")):
            stream = Chunks(packed, chunk_bytes)
            response = httpx.Response(200, headers={"content-encoding": encoding}, stream=stream)
            assert await read_body(response, 1_000_000) == (data, False)


async def test_a_body_that_inflates_to_megabytes_leaves_turns_to_others() -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    packed = gzip.compress(bytes(100_000_000), compresslevel=1)
    response = httpx.Response(200, headers={"content-encoding": "gzip"}, stream=Chunks(packed, len(packed)))
    beside = asyncio.create_task(others())
    body, _ = await read_body(response, 100_000_000)
    beside.cancel()
    assert len(body) == 100_000_000
    assert turns > 5


async def test_a_bomb_is_never_held_in_memory() -> None:
    bomb = gzip.compress(b"\0" * 300_000_000, compresslevel=1)
    stream = Chunks(bomb, 65536)
    body, cut = await read_body(httpx.Response(200, headers={"content-encoding": "gzip"}, stream=stream), 1_000_000)
    assert (len(body), cut) == (1_000_000, True)
    assert stream.taken == 1, "reading stops as soon as the cap is reached"


@pytest.mark.parametrize(
    ("data", "encoding", "said"),
    [
        (gzip.compress(TEXT)[:-20], "gzip", "cut off"),
        (b"not gzip at all", "gzip", "damaged"),
        (b"not deflate at all \xff\xff", "deflate", "damaged"),
        (b"x", "br", "'br', which was not asked for"),
    ],
)
async def test_what_cannot_be_decompressed_is_unreadable(data: bytes, encoding: str, said: str) -> None:
    with pytest.raises(Fault, match=said):
        await read(data, encoding)
