"""One line of the command judge: reads an attempt, judges it by both policies, and writes the verdicts."""

from __future__ import annotations

import json
from typing import Any, get_args

import msgspec

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import (
    Needle,
    NeedleKind,
    Submission,
    Verdict,
    decided_by,
    extract_official,
    extract_published,
    judge_official,
    judge_published,
)
from agentcompass_websearch.records import Evidence, Fetch, Hit, Search

_MAX_REASON_CHARS = 300


class BadLine(Exception):
    """A line that cannot be judged; the message says why."""


class _Hit(msgspec.Struct):
    url: str | None = None
    title: str | None = None
    snippet: str | None = None


class _Search(msgspec.Struct):
    query: str | None = None
    hits: list[_Hit] | None = None
    error: str | None = None
    call_id: str | None = None


class _Fetch(msgspec.Struct):
    url: str | None = None
    final_url: str | None = None
    title: str | None = None
    content: str | None = None
    error: str | None = None
    status: int | None = None
    call_id: str | None = None


class _Kind(msgspec.Struct):
    needle: str
    kind: str | None = None


class _Attempt(msgspec.Struct):
    id: str | int
    answer: str | msgspec.UnsetType | None = msgspec.UNSET
    submission: str | msgspec.UnsetType | None = msgspec.UNSET
    outfile: str | None = None
    required: list[str] | None = None
    query_forbidden: list[str] | None = None
    kinds: dict[str, str | None] | list[_Kind | str | None] | None = None
    cite_urls: bool | None = None
    searches: list[_Search] | None = None
    fetches: list[_Fetch] | None = None


def judge_line(line: bytes, *, explain: bool) -> dict[str, Any]:
    """Return the verdicts on the attempt that `line` describes.

    Raises:
        BadLine: it is not JSON, or not of the form.
    """
    attempt = _read(line)
    needles = _needles(attempt)
    outfile = attempt.outfile or "client.py"
    published, official = _submissions(attempt, outfile)
    evidence = _evidence(attempt)
    cite_urls = attempt.cite_urls is not False
    verdicts = (
        judge_published(published, needles, evidence, outfile=outfile, cite_urls=cite_urls),
        judge_official(official, needles, evidence, outfile=outfile, cite_urls=cite_urls),
    )
    body = {
        "id": attempt.id,
        "published": _written(published.text, verdicts[0], explain),
        "official": _written(official, verdicts[1], explain),
    }
    return {**body, "decided_by": decided_by(*verdicts)} if explain else body


def _read(line: bytes) -> _Attempt:
    try:
        return msgspec.convert(json.loads(line.decode()), _Attempt)
    except UnicodeDecodeError as error:
        raise BadLine(f"not UTF-8: {error.reason} at byte {error.start + 1}") from error
    except msgspec.ValidationError as error:
        raise BadLine(str(error)[:_MAX_REASON_CHARS]) from error
    except json.JSONDecodeError as error:
        raise BadLine(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    except (ValueError, RecursionError) as error:
        raise BadLine(f"not JSON that can be read: {error}") from error


def _needles(attempt: _Attempt) -> list[Needle]:
    words = [*(attempt.required or ()), *(attempt.query_forbidden or ())]
    if not words:
        raise BadLine("no needles: name them in 'required' or 'query_forbidden'")
    if any(not word.strip() for word in words):
        raise BadLine("a needle is blank")
    kinds = _kinds(attempt, words)
    return [Needle(word, kinds.get(word) or ("path" if "/" in word else "other")) for word in dict.fromkeys(words)]


def _kinds(attempt: _Attempt, words: list[str]) -> dict[str, NeedleKind]:
    """Return the kinds that are given: by needle, as a list of both, or one for each needle in order."""
    given: list[tuple[str, str | None]] = []
    if isinstance(attempt.kinds, dict):
        given = list(attempt.kinds.items())
    elif attempt.kinds:
        if not all(isinstance(kind, _Kind) for kind in attempt.kinds) and len(attempt.kinds) != len(words):
            raise BadLine(f"kinds has {len(attempt.kinds)} entries for {len(words)} needles")
        entries = zip(attempt.kinds, words + [""] * len(attempt.kinds), strict=False)
        given = [(kind.needle, kind.kind) if isinstance(kind, _Kind) else (word, kind) for kind, word in entries]
    known: dict[str, NeedleKind] = {kind: kind for kind in get_args(NeedleKind)}
    kinds: dict[str, NeedleKind] = {}
    for word, kind in given:
        if word not in words:
            raise BadLine(f"kinds names {word!r}, which is no needle")
        if kind is None:
            continue
        if kind not in known:
            raise BadLine(f"kind of {word!r} is {kind!r}, but must be one of {', '.join(known)}")
        kinds.setdefault(word, known[kind])
    return kinds


def _submissions(attempt: _Attempt, outfile: str) -> tuple[Submission, str]:
    """Return what the published and the official policy judge."""
    if isinstance(attempt.submission, str):
        return Submission(attempt.submission), attempt.submission
    if attempt.answer is msgspec.UNSET and attempt.submission is msgspec.UNSET:
        raise BadLine("neither 'answer' nor 'submission'")
    answer = attempt.answer if isinstance(attempt.answer, str) else ""
    return extract_published(answer, outfile), extract_official(answer)


def _evidence(attempt: _Attempt) -> Evidence:
    searches = [
        Search(
            query=search.query or "",
            hits=tuple(Hit(hit.url or "", hit.title or "", hit.snippet or "") for hit in search.hits or ()),
            error=search.error or None,
            call_id=search.call_id or "",
            n=n,
        )
        for n, search in enumerate(attempt.searches or (), 1)
    ]
    fetches = [
        Fetch(
            url=fetch.url or "",
            final_url=fetch.final_url,
            title=fetch.title or "",
            content=fetch.content or "",
            error=fetch.error or None,
            status=fetch.status,
            call_id=fetch.call_id or "",
            n=n,
        )
        for n, fetch in enumerate(attempt.fetches or (), 1)
    ]
    return Evidence(tuple(searches), tuple(fetches))


def _written(submission: str, verdict: Verdict, explain: bool) -> dict[str, Any]:
    body: dict[str, Any] = {
        "submission": submission,
        "passed": verdict.passed,
        "compiled": verdict.compiled,
        "missing": list(verdict.missing),
        "uncited": list(verdict.uncited),
        "ungrounded": list(verdict.ungrounded),
    }
    if explain:
        body["notes"] = list(verdict.notes)
        body["needles"] = [
            {**msgspec.structs.asdict(one), "grounded_by": one.grounded_by and one.grounded_by._asdict()}
            for one in verdict.needles
        ]
    return body
