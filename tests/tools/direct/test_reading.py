"""What is made of the bytes of a page, by type and charset."""

from __future__ import annotations

import httpx
import pytest

from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.direct import reading
from agentcompass_websearch.tools.direct.reading import Readable, read
from agentcompass_websearch.tools.wire import Fault, HttpReply

DOCUMENT = """<!doctype html><html><head><title>List
orders</title><script>var secret = 1;</script></head><body><nav><a href="/">Home</a></nav><main><h1>List orders</h1>
<p>Send <code>page_size</code> from 1 to 200 with the opaque <code>cursor</code>, as described below.</p>
<pre><code>GET /api/v2/orders
X-Acme-Key: ...</code></pre><table><tr><th>name</th><th>type</th></tr><tr><td>page_size</td><td>int</td></tr></table>
</main></body></html>"""


def reply(body: bytes | str, content_type: str = "", *, truncated: bool = False) -> HttpReply:
    data = body.encode() if isinstance(body, str) else body
    return HttpReply(200, httpx.Headers({"content-type": content_type} if content_type else {}), data, truncated)


async def refusal(given: HttpReply) -> str:
    with pytest.raises(Fault) as caught:
        await read(given)
    assert caught.value.kind is ErrorKind.TARGET
    return caught.value.message


@pytest.mark.parametrize(
    "content_type", ["text/html; charset=utf-8", "application/xhtml+xml", "", "binary/octet-stream"]
)
async def test_html_is_read_as_its_main_text(content_type: str) -> None:
    title, text = await read(reply(DOCUMENT, content_type))
    assert title == "List orders"
    for part in ("page_size", "cursor", "GET /api/v2/orders", "X-Acme-Key", "int"):
        assert part in text
    assert "secret" not in text
    assert "<" not in text


@pytest.mark.parametrize(
    ("content_type", "text"),
    [
        ("text/plain", "<html> is a tag"),
        ("text/markdown; charset=utf-8", "# Orders\n\n`page_size`"),
        ("application/json", '{"openapi": "3.1.0"}'),
        ("application/yaml", "openapi: 3.1.0"),
        ("application/xml", "<urlset><url/></urlset>"),
        ("application/octet-stream", "openapi: 3.1.0"),
        ("", "plain words"),
    ],
)
async def test_other_text_is_kept_as_it_is(content_type: str, text: str) -> None:
    assert await read(reply(text, content_type)) == Readable("", text)


@pytest.mark.parametrize(
    ("body", "content_type", "word"),
    [
        (
            bytes.fromhex("83658369839383672041504920776f726b65724261746368"),
            "text/plain; charset=shift_jis",
            "workerBatch",
        ),
        (
            bytes.fromhex("83658369839383672041504920776f726b65724261746368"),
            "text/html; charset=shift_jis",
            "テナント",
        ),
        ("Größe".encode("latin-1"), "text/plain; charset=iso-8859-1", "Größe"),
        ("Größe".encode(), "text/plain; charset=no-such-charset", "Größe"),
        ("Größe".encode("utf-16"), "text/plain", "Größe"),
        (
            "<html><head><meta charset='windows-1251'></head><body><p>Размер страницы от 1 до 200</p>".encode("cp1251"),
            "text/html",
            "Размер страницы",
        ),
    ],
)
async def test_the_charset_is_honoured(body: bytes, content_type: str, word: str) -> None:
    assert word in (await read(reply(body, content_type))).text


@pytest.mark.parametrize("content_type", ["image/png", "application/zip", "video/mp4", "font/woff2"])
async def test_bytes_are_not_shown(content_type: str) -> None:
    assert await refusal(reply(b"\x89PNG\r\n\x1a\n\0\0", content_type)) == "binary content, not shown"


@pytest.mark.parametrize(
    "source",
    [
        "<div>" * 5000 + "deep",
        "<" * 100_000,
        "<!--" * 50_000,
        "<table>" * 3000,
        '<?xml version="1.0" encoding="utf-8"?><html><body><p>x',
        "&#xd835;&#0;<p>x",
    ],
)
async def test_broken_html_never_raises(source: str) -> None:
    assert isinstance((await read(reply(source, "text/html"))).text, str)


async def test_what_is_cut_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await read(reply("words", "text/plain", truncated=True))).text == "words" + reading.CUT
    long = DOCUMENT.replace("<pre>", "<p>One more sentence about how orders are listed and counted.</p>" * 20 + "<pre>")
    monkeypatch.setattr(reading, "MAX_HTML_CHARS", len(long) - 300)
    text = (await read(reply(long, "text/html"))).text
    assert text.endswith(reading.CUT)
    assert "page_size" in text
    assert "X-Acme-Key" not in text


async def test_a_page_without_text_has_none() -> None:
    shell = '<html><head><title>App</title></head><body><div id="root"></div><script>start()</script></body></html>'
    assert await read(reply(shell, "text/html")) == Readable("App", "")
