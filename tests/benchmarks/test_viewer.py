"""The host's viewer in a real browser, on a run with an attempt of each kind."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.all_reasons import ANSWERS
from tests.support.browser import Tab, browser_tab

ISSUES = {
    "infrastructure": ["model_access_failed"],
    "no_answer": ["model_empty_output"],
    "out_of_turns": ["harness_max_iterations"],
}
ENGLISH = "[...document.querySelectorAll('button')].find(b => b.innerText == 'EN')"
CARDS = "[...document.querySelectorAll('button.task-card')]"
EXPAND = "[...document.querySelectorAll('button')].find(b => b.innerText == 'Expand all')"
SAYS = "document.body.innerText"


@contextmanager
def viewer(folder: Path) -> Iterator[str]:
    """Start ``agentcompass view`` and give its address."""
    words = [sys.executable, "-m", "agentcompass.cli", "view", str(folder), "--port", "18765", "--no-open"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            assert process.stdout is not None
            found = (re.search(r"http://\S+", line) for line in process.stdout)
            yield next(address[0] for address in found if address)
        finally:
            process.terminate()


def click(tab: Tab, what: str) -> None:
    """Click something once it is there."""
    tab.until(f"(found => found && (found.click(), true))({what})")


def complaints(tab: Tab) -> list[Any]:
    """Return what the page complained of in the browser's console."""
    console = [event["params"] for event in tab.events if event["method"] == "Runtime.consoleAPICalled"]
    thrown = [event for event in tab.events if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded")]
    return [*thrown, *(one for one in console if one["type"] in ("error", "warning"))]


@pytest.fixture(scope="module")
def address(analyzed: list[Path]) -> Iterator[str]:
    """The viewer of the run."""
    with viewer(analyzed[0]) as address:
        yield address


@pytest.fixture
def tab(address: str) -> Iterator[Tab]:
    """A browser with the run's page, in English."""
    with browser_tab() as tab:
        tab.resize(1600, 1200)
        tab.open(address)
        click(tab, ENGLISH)
        tab.until(f"{CARDS}.length == {len(ANSWERS)}")
        yield tab
        assert complaints(tab) == []


@pytest.mark.parametrize("ticket", ["passed", "never_searched", *ISSUES])
def test_an_attempt_is_shown_turn_by_turn_with_calls_times_and_ends(tab: Tab, ticket: str) -> None:
    click(tab, f"{CARDS}.find(b => b.innerText.trim().startsWith('{ticket}'))")
    click(tab, EXPAND)
    turns = len(ANSWERS[ticket]) - (ticket == "infrastructure")
    shown = tab.until(f"({SAYS}.match(/stop_reason/g) || []).length == {turns} && {SAYS}")
    assert f"{turns} steps" in shown
    assert len(re.findall(r"llm_infer_ms\s+[\d.]+", shown)) == turns
    searches = turns if ticket in ("out_of_turns", "infrastructure") else turns - 1
    assert len(re.findall(r"stop_reason\s+tool_calls", shown)) == searches
    assert len(re.findall(r"^web_search: acme", shown, re.MULTILINE)) == searches
    # The calls of the last turn that there may be are not run.
    ran = searches - (ticket == "out_of_turns")
    assert len(re.findall(r"env_action_ms\s+[\d.]+", shown)) == ran
    assert [code for codes in ISSUES.values() for code in codes if code in shown] == ISSUES.get(ticket, [])


def test_the_run_page_has_the_table_and_the_reasons(tab: Tab) -> None:
    assert "OB-CODE-WEBSEARCH Evaluation Results" in tab.until(f"{SAYS}.includes('Evaluation Results') && {SAYS}")
    click(tab, "[...document.querySelectorAll('button')].find(b => /nalysis/.test(b.innerText))")
    shown = tab.until(f"{SAYS}.includes('WebSearchAnalyzer') && {SAYS}")
    assert all(re.search(rf"{reason}\s+1\s+0.1000", shown) for reason in ANSWERS)
