"""Audit pages: from a needle to its line, to the address cited there, to the call and rank that returned it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agentcompass_websearch.boards import theme
from agentcompass_websearch.boards.names import slug
from agentcompass_websearch.boards.page.audit_evidence import anchor, evidence_part
from agentcompass_websearch.boards.page.explain import LOSS_NAMES
from agentcompass_websearch.boards.page.markup import Html, asset, document, el, join, link, text
from agentcompass_websearch.boards.reader import Arm, Attempt
from agentcompass_websearch.boards.reader.full import FullAttempt
from agentcompass_websearch.boards.reader.stored import NeedleRecord, Scoring, VerdictRecord
from agentcompass_websearch.records import Evidence

STYLE = theme.stylesheet() + asset("audit.css")


@dataclass(frozen=True, slots=True)
class Shown:
    """One attempt on a ticket's page: its repeat, what the board knows, and its texts (None: the file has gone)."""

    repeat: int
    attempt: Attempt
    full: FullAttempt | None
    file: str


def ticket_file(ticket: str) -> str:
    """Return the name of a ticket's page, beside the arm's index."""
    return f"{slug(ticket)}.html"


def outcome(attempt: Attempt) -> str:
    """Return what became of an attempt, in a word or two."""
    if attempt.lost:
        return LOSS_NAMES[attempt.lost]
    return "passed" if attempt.correct else "failed"


def arm_index(arm: Arm, tickets: Sequence[str]) -> str:
    """Return the arm's index: all tickets with the outcome of each repeat."""
    head = el("tr", el("th", "Ticket"), *(el("th", f"Repeat {n}") for n in range(1, arm.repeats + 1)))
    rows = [_index_row(arm, ticket) for ticket in tickets]
    body = join(
        el("p", el("a", "Board", href="../../board.html"), class_="up"),
        el("h1", arm.vendor_id),
        el(
            "p",
            f"{arm.board}, {arm.model}. Each ticket with the outcome of its attempts; follow one to see why.",
            class_="dim",
        ),
        el(
            "div",
            el("table", el("thead", head), el("tbody", *rows)),
            class_="scroll",
            tabindex="0",
            role="region",
            aria_label="Attempts",
        ),
    )
    return document(f"{arm.vendor_id}: attempts", el("main", body), style=STYLE)


def _index_row(arm: Arm, ticket: str) -> Html:
    cells = []
    for repeat in range(1, arm.repeats + 1):
        _, attempt = arm.attempts.get((ticket, repeat), (0, None))
        if attempt is None:
            cells.append(el("td", el("span", LOSS_NAMES["not_finished"], class_="dim")))
            continue
        kind = theme.loss_colour(attempt.lost or ("passed" if attempt.correct else "ungrounded"))
        cells.append(
            el("td", el("a", outcome(attempt), href=f"{ticket_file(ticket)}#r{repeat}", class_=f"chip {kind}"))
        )
    return el("tr", el("th", ticket, scope="row"), *cells)


def ticket_page(arm: Arm, ticket: str, attempts: Sequence[Shown]) -> str:
    """Return the page of one ticket of an arm, with all its repeats."""
    jumps = [
        el("a", f"Repeat {shown.repeat}: {outcome(shown.attempt)}", href=f"#r{shown.repeat}") for shown in attempts
    ]
    body = join(
        el(
            "p",
            el("a", "Board", href="../../board.html"),
            " / ",
            el("a", arm.vendor_id, href="index.html"),
            class_="up",
        ),
        el("h1", ticket),
        el("nav", *jumps, aria_label="Repeats"),
        *(_attempt(shown) for shown in attempts),
    )
    return document(f"{ticket}, {arm.vendor_id}", el("main", body), style=STYLE)


def _attempt(shown: Shown) -> Html:
    title = f"Repeat {shown.repeat}: {outcome(shown.attempt)}"
    where = el("p", f"From {shown.file}", class_="dim")
    full = shown.full
    if full is None:
        return el(
            "section", el("h2", title), where, el("p", "The file cannot be read any more."), id=f"r{shown.repeat}"
        )
    issues = [el("li", f"{issue.severity}: {issue.code}. {issue.message}") for issue in full.issues]
    scoring = full.scoring
    parts = [el("h2", title), where, el("ul", *issues, class_="issues") if issues else ""]
    if scoring is not None:
        parts += [_verdicts(scoring), _needles(scoring, full.evidence, shown.repeat)]
        parts += [_code(full.submission, scoring, shown.repeat)]
    parts += [evidence_part(full.evidence, scoring or Scoring(), shown.repeat)]
    return el("section", *parts, id=f"r{shown.repeat}")


def _verdicts(scoring: Scoring) -> Html:
    differ = f"<li><b>They differ by: </b>{text(scoring.decided_by)}</li>" if scoring.decided_by else ""
    return Html(
        f"<ul><li><b>Published policy: </b>{text(_verdict(scoring.published))}</li>"
        f"<li><b>Official policy: </b>{text(_verdict(scoring.official))}</li>{differ}</ul>"
    )


def _verdict(verdict: VerdictRecord) -> str:
    if verdict.passed:
        return "passed"
    if not verdict.compiled:
        return "failed, does not compile"
    reasons = (("missing", verdict.missing), ("not cited", verdict.uncited), ("not grounded", verdict.ungrounded))
    told = "; ".join(f"{reason}: {', '.join(needles)}" for reason, needles in reasons if needles)
    return f"failed, {told or '; '.join(verdict.notes) or 'no reason recorded'}"


def _needles(scoring: Scoring, evidence: Evidence, repeat: int) -> Html:
    calls = {search.call_id: f"search {search.n}" for search in evidence.searches}
    calls |= {fetch.call_id: f"fetch {fetch.n}" for fetch in evidence.fetches}
    rows = "".join([_needle_row(needle, calls, repeat) for needle in scoring.needles])
    return Html(f"{_NEEDLES_HEAD}{rows}</tbody></table></div>")


_NEEDLES_HEAD: Final = (
    '<div class="scroll" tabindex="0" role="region" aria-label="Needed details"><table><thead><tr>'
    "<th>Needed detail</th><th>Kind</th><th>Line</th><th>Cited there</th><th>Came back from</th></tr></thead><tbody>"
)


def _needle_row(needle: NeedleRecord, calls: Mapping[str, str], repeat: int) -> str:
    line = f'<a href="#r{repeat}-l{needle.line}">{needle.line}</a>' if needle.line else "missing"
    cited = "".join([f"<div>{link(url)}</div>" for url in needle.urls]) or "nothing"
    grounded = "nowhere"
    if needle.grounded_by is not None:
        call_id, rank = needle.grounded_by.call_id, needle.grounded_by.rank
        label = calls.get(call_id, f"call {call_id}") + (f", rank {rank}" if rank else "")
        grounded = f'<a href="#{anchor(repeat, call_id, rank)}">{text(label)}</a>'
    return (
        f'<tr><th scope="row"><code>{text(needle.needle)}</code></th><td>{text(needle.kind)}</td><td>{line}</td>'
        f"<td>{cited}</td><td>{grounded}</td></tr>"
    )


def _code(code: str, scoring: Scoring, repeat: int) -> Html:
    """Return the file line by line, with the needles, their lines and the comments that cite for them marked."""
    if not code.strip():
        return el("p", "There is no submission.", class_="dim")
    marked: dict[int, list[str]] = {}
    for needle in scoring.needles:
        if needle.line:
            marked.setdefault(needle.line, []).append(needle.needle)
    cited = {str(text(url)) for needle in scoring.needles for url in needle.urls}
    lines = []
    for number, line in enumerate(str(text(code)).split("\n"), 1):
        for word in marked.get(number, ()):
            line = line.replace(text(word), f"<mark>{text(word)}</mark>")
        kind = ' class="hit"' if number in marked else ' class="cite"' if any(url in line for url in cited) else ""
        lines.append(f'<span id="r{repeat}-l{number}"{kind}>{line}\n</span>')
    listing = el("pre", Html("".join(lines)), class_="code", tabindex="0", aria_label=scoring.outfile)
    return join(el("h3", scoring.outfile), listing)
