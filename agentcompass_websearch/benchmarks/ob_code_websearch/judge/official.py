"""The official policy: the verdict of the public harness, line by line and by prefixes of URLs."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from agentcompass_websearch.benchmarks.ob_code_websearch.judge.compiling import compile_file
from agentcompass_websearch.benchmarks.ob_code_websearch.judge.verdicts import (
    Grounding,
    Needle,
    NeedleVerdict,
    Submission,
    Verdict,
    digest_of,
    distinct,
)
from agentcompass_websearch.records import Evidence

MIN_NEEDLE_CHARS: Final = 4
NO_NEEDLES: Final = (
    f"no needle of {MIN_NEEDLE_CHARS} characters or more: this policy asks for nothing but that it compiles"
)

_URL: Final = re.compile(r"(?ai:https?)://\S+")
_BARE: Final = re.compile(r"(?:https?://)?(?:www\.)?([^?#]*)")


def judge_official(
    submission: Submission | str,
    needles: Sequence[Needle],
    evidence: Evidence,
    *,
    outfile: str,
    cite_urls: bool = True,
) -> Verdict:
    """Judge a submission as the public harness does; where that would crash, it does not compile. Never raises.

    Needles of fewer than four characters are not asked for. Whether needles are cited is looked at only when none is
    missing. Kinds play no part.

    Args:
        submission: the file, as `extract_official` takes it from an answer.
        needles: what it must hold.
        evidence: what the tools returned in this attempt.
        outfile: the name of the file, for messages.
        cite_urls: whether needles must be cited and grounded.
    """
    text = submission if isinstance(submission, str) else submission.text
    wanted = [needle for needle in distinct(needles) if len(needle.text) >= MIN_NEEDLE_CHARS]
    fault = compile_file(text, outfile, want_tree=False).fault
    if fault:
        verdicts = tuple(NeedleVerdict(needle.text, needle.kind) for needle in wanted)
        return Verdict(False, False, needles=verdicts, notes=(fault,), digest=digest_of(text))
    lines, seen = _Lines(text), _Seen(evidence)
    found = [_judged(needle, text, lines, seen) for needle in wanted]
    missing = tuple(one.needle for one in found if not one.present)
    asked = cite_urls and not missing
    uncited = tuple(one.needle for one in found if asked and not one.urls)
    ungrounded = tuple(one.needle for one in found if asked and one.urls and not one.grounded_by)
    return Verdict(
        passed=not (missing or uncited or ungrounded),
        compiled=True,
        missing=missing,
        uncited=uncited,
        ungrounded=ungrounded,
        needles=tuple(found),
        notes=() if wanted else (NO_NEEDLES,),
        digest=digest_of(text),
    )


def _judged(needle: Needle, text: str, lines: _Lines, seen: _Seen) -> NeedleVerdict:
    if needle.text not in text:
        return NeedleVerdict(needle.text, needle.kind)
    line, url = lines.last_use(needle.text)
    call = seen.page(url) or seen.text(needle.text) if url else None
    return NeedleVerdict(needle.text, needle.kind, True, line, (url,) if url else (), call)


class _Lines:
    """The lines of a file, and which of them, beginning with ``#``, name a URL."""

    def __init__(self, text: str) -> None:
        code: list[str] = []
        self._url_lines: list[int] = []
        self._urls: list[str] = []
        for number, line in enumerate(text.splitlines(), 1):
            is_comment = line.lstrip().startswith("#")
            if is_comment and (urls := _URL.findall(line)):
                self._url_lines.append(number)
                self._urls.append(urls[-1])
            code.append("" if is_comment else line)
        self._code = "\n".join(code)
        self._starts = list(accumulate((len(line) + 1 for line in code), initial=0))

    def last_use(self, needle: str) -> tuple[int | None, str]:
        """Return the line, from 1, of the last use of a needle outside comments, and the URL last named above it."""
        at = self._code.rfind(needle)
        if at < 0:
            return None, ""
        line = bisect_right(self._starts, at)
        index = bisect_left(self._url_lines, line) - 1
        return line, self._urls[index] if index >= 0 else ""


class _Seen:
    """All that the tools returned, whether a call failed or not: addresses, and texts."""

    def __init__(self, evidence: Evidence) -> None:
        pages: dict[str, Grounding] = {}
        texts: list[tuple[str, Grounding]] = []
        for number, search in enumerate(evidence.searches, 1):
            for rank, hit in enumerate(search.hits, 1):
                call = Grounding(search.call_id or f"search {search.n or number}", rank)
                pages.setdefault(_bare(hit.url), call)
                texts += ((hit.title, call), (hit.snippet, call))
        for number, fetch in enumerate(evidence.fetches, 1):
            call = Grounding(fetch.call_id or f"fetch {fetch.n or number}", 0)
            pages.setdefault(_bare(fetch.final_url or fetch.url), call)
            texts += ((fetch.title, call), (fetch.content, call))
        pages.pop("", None)
        self._pages = pages
        self._sorted = sorted(pages)
        # Without those that begin with another one: of these, only the last that sorts before a text can begin it.
        self._shortest: list[str] = []
        for page in self._sorted:
            if not self._shortest or not page.startswith(self._shortest[-1]):
                self._shortest.append(page)
        self._text = "\0".join(text for text, _ in texts)
        self._calls = [call for _, call in texts]
        self._starts = list(accumulate((len(text) + 1 for text, _ in texts), initial=0))

    def page(self, url: str) -> Grounding | None:
        """Return the call whose page `url` equals, begins, or is begun by."""
        bare = _bare(url)
        if not bare:
            return None
        after, before = bisect_left(self._sorted, bare), bisect_right(self._shortest, bare) - 1
        if after < len(self._sorted) and self._sorted[after].startswith(bare):
            return self._pages[self._sorted[after]]
        if before >= 0 and bare.startswith(self._shortest[before]):
            return self._pages[self._shortest[before]]
        return None

    def text(self, needle: str) -> Grounding | None:
        """Return the call in whose title, snippet or page a needle stands."""
        at = self._text.find(needle)
        return self._calls[bisect_right(self._starts, at) - 1] if at >= 0 else None


def _bare(url: str) -> str:
    """Return an address for comparing: lower case, without scheme, ``www.``, query, fragment and last slash."""
    found = _BARE.match(url.strip().lower())
    return found[1].rstrip("/") if found else ""
