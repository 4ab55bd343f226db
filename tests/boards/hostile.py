"""Texts that try to leave their place on a page, put wherever a model or a page could put them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.boards.conftest import edit, results

EVIL = (
    "</script></style></pre><script>alert(1)</script><img src=x onerror=alert(2)>\"'>"
    '<a href="javascript:alert(3)">x</a>'
)
EVIL_URL = "javascript:alert(4)"


def poison(run: Path) -> None:
    """Put the texts into answers, queries, hits, pages, notes, issues and verdicts of a run."""
    for file in results(run):
        edit(file, _poisoned)


def _poisoned(result: dict[str, Any]) -> None:
    result["final_answer"] += f"\n# {EVIL}\n"
    result["issues"].append({"severity": "warning", "phase": "run", "code": EVIL, "message": EVIL})
    for step in result["trajectory"]["steps"]:
        for reply in step["observation"]:
            body = json.loads(reply["content"])
            for hit in body.get("results", ()):
                hit |= {"title": EVIL, "snippet": EVIL, "url": EVIL_URL}
            if "content" in body:
                body |= {"title": EVIL, "content": EVIL, "final_url": EVIL_URL}
            reply["content"] = json.dumps(body | {"query": EVIL})
    scoring = result["meta"]["benchmark"]["scoring"]
    scoring["decided_by"] = EVIL
    scoring["published"]["notes"] = [EVIL]
    scoring["needles"][0] |= {"needle": EVIL, "urls": [EVIL_URL, f"https://a.example/{EVIL}"]}
    result["meta"]["harness"]["telemetry"]["websearch"]["vendor"]["note"] = EVIL
