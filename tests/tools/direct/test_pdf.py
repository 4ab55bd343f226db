"""PDFs: read in a child process that can be ended; without pypdf one plain sentence."""

from __future__ import annotations

import asyncio
import sys
import zlib
from collections.abc import Callable

import httpx
import pytest

from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest
from agentcompass_websearch.tools.direct import pdf
from agentcompass_websearch.tools.direct.client import DirectClient
from agentcompass_websearch.tools.direct.reading import read
from agentcompass_websearch.tools.testing import Reply, serving
from agentcompass_websearch.tools.wire import Fault, HttpReply

type MakeReader = Callable[..., DirectClient]


def document(*lines: str) -> bytes:
    """Write a PDF of one page for each line."""
    kids = " ".join(f"{3 + 2 * n} 0 R" for n in range(len(lines)))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(lines)} >>".encode()]
    font = "<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    for n, line in enumerate(lines):
        stream = zlib.compress(f"BT /F1 12 Tf 72 700 Td ({line}) Tj ET".encode())
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {4 + 2 * n} 0 R /Resources {font} >>"
        head = f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n".encode()
        objects += [page.encode(), head + stream + b"\nendstream"]
    out = b"%PDF-1.7\n"
    offsets = []
    for number, item in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, item)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (size, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + trailer


def reply(body: bytes, content_type: str = "application/pdf") -> HttpReply:
    return HttpReply(200, httpx.Headers({"content-type": content_type}), body)


async def refusal(body: bytes, content_type: str = "application/pdf") -> str:
    with pytest.raises(Fault) as caught:
        await read(reply(body, content_type))
    assert caught.value.kind is ErrorKind.TARGET
    assert "\n" not in caught.value.message
    return caught.value.message


@pytest.mark.parametrize("content_type", ["application/pdf", "text/html"])
async def test_the_text_of_all_pages_is_read_whatever_its_type_says(content_type: str) -> None:
    title, text = await read(reply(document("Send X-Acme-Key", "page_size is 1 to 200"), content_type))
    assert title == ""
    assert text.split("\n\n")[:2] == ["Send X-Acme-Key", "page_size is 1 to 200"]


@pytest.mark.parametrize("body", [b"%PDF-1.7\0...", document("x")[:200]])
async def test_a_broken_pdf_is_one_sentence(body: bytes) -> None:
    assert "could not be read" in await refusal(body)


async def test_without_pypdf_the_reply_says_what_it_is(monkeypatch: pytest.MonkeyPatch, reader: MakeReader) -> None:
    assert DirectClient().fingerprint == {"pdf": "read"}
    monkeypatch.setattr(pdf, "is_readable", lambda: False)
    assert await refusal(document("x")) == "this is a PDF, which cannot be read without pypdf"
    assert DirectClient().fingerprint == {"pdf": "not read"}


async def test_a_pdf_that_takes_too_long_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    children = []
    start = asyncio.create_subprocess_exec

    async def sleeper(*words: str, **given: object) -> asyncio.subprocess.Process:
        assert words[1:] == ("-m", "agentcompass_websearch.tools.direct.pdf_text")
        children.append(await start(sys.executable, "-c", "import time; time.sleep(60)", **given))  # type: ignore[arg-type]
        return children[0]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", sleeper)
    monkeypatch.setattr(pdf, "TIME_S", 0.2)
    assert "within" in await refusal(document("x"))
    assert children[0].returncode is not None
    assert children[0].returncode != 0


async def test_the_child_holds_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, str] = {}
    start = asyncio.create_subprocess_exec

    async def watched(*words: str, env: dict[str, str], **given: object) -> asyncio.subprocess.Process:
        seen.update(env)
        return await start(*words, env=env, **given)  # type: ignore[arg-type]

    monkeypatch.setenv("ACME_API_KEY", "canary-key")
    monkeypatch.setattr(asyncio, "create_subprocess_exec", watched)
    assert "Send" in await pdf.read(document("Send"))
    assert "PATH" in seen
    assert "canary-key" not in seen.values()


async def test_a_pdf_from_a_server(reader: MakeReader) -> None:
    body = document("Send X-Acme-Key")
    async with serving(lambda request: Reply(200, body, {"content-type": "application/pdf"})) as server:
        url = server.url.replace("127.0.0.1", "docs.acme.example")
        outcome = await reader().fetch(FetchRequest(url))
    assert outcome.value is not None
    assert outcome.value.content == "Send X-Acme-Key"


@pytest.mark.parametrize("body", [b"A PDF begins with %PDF-1.7", b"x" * 2000 + b"%PDF-"])
def test_words_about_a_pdf_are_no_pdf(body: bytes) -> None:
    assert not pdf.is_pdf(reply(body, "text/plain"))
    assert pdf.is_pdf(reply(b"\r\n%PDF-1.7", "text/plain"))
