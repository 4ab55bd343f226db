"""``agentcompass-websearch judge``: judge answers against needles and evidence, without a run."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from agentcompass_websearch.errors import UsageError


def judge(
    file: Annotated[Path, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    explain: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Judge answers against needles and evidence, by both policies: JSON lines in, JSON lines out.

    A line of FILE is one attempt, with these fields (in one line):

        {"id": "t1",
         "answer": "```python\\n# source: https://x.example/a\\nP = '/v2/a'\\n```",
         "outfile": "client.py", "cite_urls": true,
         "required": ["/v2/a"], "query_forbidden": [],
         "kinds": {"/v2/a": "path"},
         "searches": [{"query": "acme batch", "error": null, "hits": [
           {"url": "https://x.example/a", "title": "A", "snippet": ""}]}],
         "fetches": [{"url": "https://x.example/b", "final_url": null,
           "title": "", "content": "", "error": "HTTP 404"}]}

    Give "submission", the file itself, in place of "answer" to leave out the extraction. Needles are those of
    "required" and "query_forbidden"; a needle without a kind is a path if it holds a slash, else "other". Needed are
    "id", one of "answer" and "submission", and one needle; null is as good as nothing, other fields are passed over.

    A line of the output holds the verdicts on one attempt, in the order of the input:

        {"id": "t1",
         "published": {"submission": "...", "passed": true, "compiled": true,
           "missing": [], "uncited": [], "ungrounded": []},
         "official": {...}}

    A line that cannot be judged is named on stderr with the reason; the others are judged all the same, and the exit
    code is 1. For example:

        agentcompass-websearch judge attempts.jsonl > verdicts.jsonl
        head -1 attempts.jsonl | agentcompass-websearch judge - --explain

    Args:
        file: File of JSON lines; - reads standard input.
        explain: Add to each verdict its notes and, for each needle, where it stands and what grounds it; and the rule
            that made the difference where the policies disagree.
    """
    from agentcompass_websearch.cli._judging import BadLine, judge_line

    code = 0
    for number, line in _lines(file):
        try:
            verdicts = judge_line(line, explain=explain)
        except BadLine as reason:
            print(f"line {number}: {reason}", file=sys.stderr)
            code = 1
        else:
            # ASCII: fit for every locale, and no character in it that some reader takes for a line end.
            print(json.dumps(verdicts), flush=True)
    return code


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, with their numbers from 1."""
    if str(file) == "-" and sys.stdin is None:
        raise UsageError("standard input is closed; name a file")
    try:
        with sys.stdin.buffer if str(file) == "-" else file.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if text.strip():
                    yield number, text
    except OSError as error:
        raise UsageError(f"cannot read {file}: {error.strerror or error}") from error
