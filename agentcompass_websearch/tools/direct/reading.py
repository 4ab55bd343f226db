"""From the bytes of a reply to the title and text of a page: HTML, PDF, and all that is text."""

from __future__ import annotations

import asyncio
import codecs
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from agentcompass_websearch.tools.charset import decode
from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.direct import pdf
from agentcompass_websearch.tools.local.html import read_html
from agentcompass_websearch.tools.wire import Fault, HttpReply

MAX_HTML_CHARS: Final = 2_000_000
CUT: Final = "\n\n[truncated: the page was too long]"
_BYTES: Final = frozenset({"", "application/octet-stream", "binary/octet-stream"})
_HTML_STARTS: Final = ("<!doctype html", "<html", "<head", "<body")

# Threads of its own: reading a large page takes seconds, in which the event loop and its executor stay free.
_threads: Final = ThreadPoolExecutor(max_workers=2, thread_name_prefix="websearch-direct")


class Readable(NamedTuple):
    """What a page says."""

    title: str
    text: str


async def read(reply: HttpReply) -> Readable:
    """Return title and text of a page; without text where it has none.

    Raises:
        Fault: TARGET for bytes that are no text, and for a PDF that cannot be read.
    """
    if pdf.is_pdf(reply):
        return Readable("", await pdf.read(reply.body))
    if not (reply.is_text or _may_be_text(reply)):
        raise Fault(ErrorKind.TARGET, "binary content, not shown", status=reply.status)
    return await asyncio.get_running_loop().run_in_executor(_threads, _of_text, reply)


def _may_be_text(reply: HttpReply) -> bool:
    """Whether bytes that do not look like text are worth decoding: of no named type, or two bytes a character."""
    return reply.content_type in _BYTES or reply.body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def _of_text(reply: HttpReply) -> Readable:
    source = decode(reply.body, reply.headers.get("content-type", ""))
    cut = reply.truncated
    title = ""
    if _is_html(reply, source):
        cut |= len(source) > MAX_HTML_CHARS
        found = read_html(source[:MAX_HTML_CHARS])
        title, source = found.title, found.text
    return Readable(title, source + CUT if source and cut else source)


def _is_html(reply: HttpReply, source: str) -> bool:
    if "html" in reply.content_type:
        return True
    return reply.content_type in _BYTES and source[:1000].lstrip().lower().startswith(_HTML_STARTS)
