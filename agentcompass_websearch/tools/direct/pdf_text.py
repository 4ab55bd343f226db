"""The child process that reads a PDF from its standard input and writes the text to its standard output.

It imports nothing of this package, so that it starts quickly.
"""

from __future__ import annotations

import io
import sys
from typing import Final

MEMORY_BYTES: Final = 2 * 1024**3
MAX_CHARS: Final = 1_000_000


def main() -> None:
    """Read all pages, up to `MAX_CHARS` characters."""
    _limit_memory()
    from pypdf import PdfReader

    left = MAX_CHARS
    for page in PdfReader(io.BytesIO(sys.stdin.buffer.read())).pages:
        text = page.extract_text()[:left]
        sys.stdout.buffer.write(f"{text}\n\n".encode("utf-8", "replace"))
        left -= len(text)
        if left <= 0:
            break


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


if __name__ == "__main__":
    main()
