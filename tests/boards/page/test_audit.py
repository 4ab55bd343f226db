"""Audit pages: the chain from a needle to what returned its source."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agentcompass_websearch.boards.audit import write_audit
from agentcompass_websearch.boards.names import audit_folder
from agentcompass_websearch.boards.page.audit import ticket_file
from agentcompass_websearch.boards.page.audit_evidence import spans
from agentcompass_websearch.boards.reader import Arm, arrange, find_runs, read_runs
from agentcompass_websearch.boards.reader.full import read_full
from agentcompass_websearch.boards.reader.stored import NeedleRecord


@pytest.fixture(scope="module")
def arm(finished: Path) -> Arm:
    tables = arrange(read_runs(find_runs([finished])))
    return next(arm for arm in tables[0].arms if arm.vendor_id == "lumen_deep")


@pytest.fixture(scope="module")
def audit(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("audit")
    write_audit(arrange(read_runs(find_runs([finished]))), out)
    return out


def test_there_is_a_page_for_every_ticket_of_every_arm(audit: Path, arm: Arm) -> None:
    assert len(list(audit.glob("audit/*/index.html"))) == 5
    assert len(list(audit.glob("audit/*/*.html"))) == 5 * 13
    index = (audit / audit_folder(arm.id) / "index.html").read_text()
    for target in re.findall(r'href="([^"#]+)#r\d"', index):
        assert (audit / audit_folder(arm.id) / target).is_file()
    assert len(re.findall(r'href="[^"#]+#r\d"', index)) == 36


def test_a_needle_leads_to_its_line_its_citation_and_the_call_that_returned_it(audit: Path, arm: Arm) -> None:
    (ticket, repeat), (run, attempt) = next((s, a) for s, a in arm.attempts.items() if a[1].correct)
    full = read_full(arm.runs[run], attempt)
    assert full.scoring is not None
    needle = full.scoring.needles[0]
    assert needle.grounded_by is not None
    page = (audit / audit_folder(arm.id) / ticket_file(ticket)).read_text()

    line = re.search(rf'<span id="r{repeat}-l{needle.line}" class="hit">(.*)', page)
    assert line is not None
    assert f"<mark>{needle.needle}</mark>" in line[1]
    assert f'href="#r{repeat}-l{needle.line}"' in page
    assert f'<a href="{needle.urls[0]}"' in page

    rank = needle.grounded_by.rank
    search = next(s for s in full.evidence.searches if s.call_id == needle.grounded_by.call_id)
    step = re.search(rf'<a href="#([^"]+)">search {search.n}, rank {rank}</a>', page)
    assert step is not None
    assert page.count(f'id="{step[1]}"') == 1
    assert rank is not None
    assert search.hits[rank - 1].url == needle.urls[0]


def test_page_text_is_there_to_unfold(audit: Path, arm: Arm) -> None:
    (ticket, _), (run, attempt) = next((s, a) for s, a in arm.attempts.items() if a[1].correct)
    fetch = read_full(arm.runs[run], attempt).evidence.fetches[0]
    page = (audit / audit_folder(arm.id) / ticket_file(ticket)).read_text()
    unfolded = re.findall(
        r"<summary>Page text: [^<]*characters \d+ to \d+.*?</summary><pre>(.*?)</pre>", page, re.DOTALL
    )
    plain = [re.sub("<[^>]+>", "", text) for text in unfolded]
    assert any(fetch.content.splitlines()[0] in text for text in plain)


def test_spans_are_the_first_places_in_order_and_apart() -> None:
    needles = tuple(NeedleRecord(word, kind) for word, kind in [("b-Key", "header"), ("b-k", "other"), ("zz", "other")])
    assert spans("a zz B-KEY b-k", needles) == [(2, 4, "zz"), (5, 10, "b-Key"), (11, 14, "b-k")]
    assert spans("abc", (NeedleRecord("abc"), NeedleRecord("bc"))) == [(0, 3, "abc")]
    assert spans("", needles) == []


def test_a_file_that_has_gone_is_said_and_nothing_else_breaks(copied: Path, tmp_path: Path) -> None:
    tables = arrange(read_runs(find_runs([copied])))
    for file in copied.glob("quarry*/*/*/details/*/*/attempt-2/result.json"):
        file.unlink()
    write_audit(tables, tmp_path / "out")
    pages = list((tmp_path / "out").glob("audit/quarry*/*.html"))
    assert sum("cannot be read any more" in page.read_text() for page in pages) == 12
