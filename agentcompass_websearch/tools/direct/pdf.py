"""The text of a PDF, read with pypdf (extra ``pdf``) in a process of its own, which can be ended and holds no key.

A PDF of a stranger can make its reader loop or swell; a thread that does so could not be stopped.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import sys
from typing import Final

from agentcompass_websearch.tools.contract import ErrorKind
from agentcompass_websearch.tools.direct import pdf_text
from agentcompass_websearch.tools.wire import Fault, HttpReply

TIME_S: Final = 20.0
_NEEDED: Final = ("PATH", "PYTHONPATH", "PYTHONHOME", "HOME", "LANG", "SYSTEMROOT", "TMPDIR", "TEMP")


def is_pdf(reply: HttpReply) -> bool:
    """Whether a PDF came, by its first bytes or else by its type."""
    return reply.body[:1024].lstrip().startswith(b"%PDF-") or reply.content_type == "application/pdf"


def is_readable() -> bool:
    """Whether pypdf is installed."""
    return importlib.util.find_spec("pypdf") is not None


async def read(data: bytes) -> str:
    """Return the text of a PDF, page after page.

    Raises:
        Fault: TARGET; it says in a few words why there is no text.
    """
    if not is_readable():
        raise Fault(ErrorKind.TARGET, "this is a PDF, which cannot be read without pypdf")
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", pdf_text.__name__),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={name: os.environ[name] for name in _NEEDED if name in os.environ},
    )
    try:
        async with asyncio.timeout(TIME_S):
            text, _ = await child.communicate(data)
    except TimeoutError as error:
        raise Fault(ErrorKind.TARGET, f"this is a PDF, which could not be read within {TIME_S:.0f} s") from error
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    if child.returncode != 0:
        raise Fault(ErrorKind.TARGET, "this is a PDF, which could not be read")
    return text.decode("utf-8", "replace")
