"""The board in a real browser, from disk: silent, self-contained, sortable, readable on a phone, with its audit."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agentcompass_websearch.boards.output import write_board
from agentcompass_websearch.boards.serve import open_server
from perf.board_world import FictionalArm
from tests.support.browser import Tab, browser_tab

FIRST_TABLE = "document.querySelector('section.board table')"
ARMS = f"[...{FIRST_TABLE}.tBodies[0].rows].map(row => row.querySelector('th').innerText)"


@pytest.fixture(scope="module")
def page(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "board"
    write_board([finished], out)
    return out / "board.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Tab]:
    with browser_tab() as tab:
        yield tab


@pytest.fixture
def tab(browser: Tab, page: Path) -> Tab:
    browser.events.clear()
    browser.resize(1280, 900)
    browser.open(page)
    return browser


def complaints(tab: Tab) -> list[object]:
    wanted = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
    return [event["params"] for event in tab.events if event["method"] in wanted]


def requests(tab: Tab) -> list[str]:
    sent = (event for event in tab.events if event["method"] == "Network.requestWillBeSent")
    return [event["params"]["request"]["url"] for event in sent]


def test_the_page_says_nothing_to_the_console_and_asks_for_nothing(tab: Tab, page: Path) -> None:
    tab.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
    assert complaints(tab) == []
    assert requests(tab) == [page.resolve().as_uri()]


def test_a_click_sorts_and_a_second_one_turns_the_order(tab: Tab) -> None:
    button = (
        f"[...{FIRST_TABLE}.tHead.querySelectorAll('button')].find(b => b.innerText.startsWith('Median task time'))"
    )
    tab.evaluate(f"{button}.click()")
    assert tab.evaluate(ARMS)[0] == "quarry"
    assert tab.evaluate(f"{button}.closest('th').getAttribute('aria-sort')") == "ascending"
    rising = tab.evaluate(ARMS)
    tab.evaluate(f"{button}.click()")
    assert tab.evaluate(ARMS) == rising[::-1]
    assert complaints(tab) == []


def test_rates_sort_from_the_best_first(tab: Tab) -> None:
    tab.evaluate(f"{FIRST_TABLE}.tHead.rows[0].cells[2].querySelector('button').click()")
    assert tab.evaluate(f"{FIRST_TABLE}.tHead.rows[0].cells[2].getAttribute('aria-sort')") == "descending"
    assert tab.evaluate(ARMS)[-1] == "mill_fast"


def test_unknown_values_stay_last_either_way(tab: Tab) -> None:
    """Only one of the three vendors tells what it charged."""
    bills = (
        "[...document.querySelectorAll('#search-fetch table')].find(t => t.caption.textContent.startsWith('Do the'))"
    )
    told = f"[...{bills}.tHead.rows[0].cells].findIndex(head => head.textContent.startsWith('Vendor'))"
    place = tab.evaluate(told)
    for _ in range(2):
        tab.evaluate(f"{bills}.tHead.rows[0].cells[{place}].querySelector('button').click()")
        known = tab.evaluate(f"[...{bills}.tBodies[0].rows].map(row => row.cells[{place}].dataset.v !== '')")
        assert known == [True, True, False, False, False, False]


def test_the_keyboard_is_enough(tab: Tab) -> None:
    tab.evaluate(f"{FIRST_TABLE}.tHead.querySelector('button').focus()")
    tab.press("Enter", 13, "\r")
    assert tab.evaluate(f"{FIRST_TABLE}.tHead.rows[0].cells[0].getAttribute('aria-sort')") == "ascending"
    seen = set()
    tab.evaluate("document.body.focus()")
    for _ in range(40):
        tab.press("Tab", 9)
        seen.add(tab.evaluate("document.activeElement.tagName + (document.activeElement.getAttribute('role') || '')"))
    assert {"A", "BUTTON", "DIVregion"} <= seen


@pytest.mark.parametrize("width", [320, 390, 768, 1280])
def test_nothing_sticks_out_at_any_width(tab: Tab, width: int) -> None:
    tab.resize(width, 800, phone=width < 700)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    shown = tab.evaluate("getComputedStyle(document.querySelector('figure .narrow')).display")
    assert shown == ("block" if width < 640 else "none")
    assert tab.evaluate("Number.parseFloat(getComputedStyle(document.querySelector('td')).fontSize)") >= 13


def test_long_and_foreign_names_stay_in_their_place(
    browser: Tab, make_run: Callable[..., list[Path]], tmp_path: Path
) -> None:
    names = ("v" * 90, "v" * 91, "\u7801\u5929" * 30, "m&m <b>" * 12)
    make_run(*(FictionalArm(name, "search-fetch", 0.3 + n / 10, search_usd=10**-n) for n, name in enumerate(names)))
    write_board([tmp_path / "runs"], tmp_path / "out", audit=False)
    outside = (
        "[...document.querySelectorAll('figure svg text')].filter(text => { const box = text.getBoundingClientRect(); "
        "const card = text.closest('.card').getBoundingClientRect(); return box.width && "
        "(box.left < card.left - 2 || box.right > card.right + 2) }).map(text => text.textContent)"
    )
    for width in (320, 768, 1280):
        browser.resize(width, 900, phone=width < 700)
        browser.open(tmp_path / "out/board.html")
        browser.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
        assert browser.evaluate(outside) == []
        name = browser.evaluate("document.querySelector('tbody th.name').getBoundingClientRect().width")
        assert name < width / 2, "the names leave room for what is said of them"


def test_no_audit_page_sticks_out_of_a_phone(tab: Tab, page: Path) -> None:
    tab.resize(320, 800, phone=True)
    arm = next(page.parent.glob("audit/lumen-deep*"))
    for file in (arm / "index.html", *sorted(arm.glob("*.html"))[:3]):
        tab.open(file)
        assert tab.evaluate("document.documentElement.scrollWidth") <= 320, file.name


def test_light_and_dark_are_both_readable(tab: Tab) -> None:
    def contrast() -> float:
        code = "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
        lights = []
        for colour in tab.evaluate(code):
            parts = [int(part) / 255 for part in colour[4:-1].split(",")]
            linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
            lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
        return (max(lights) + 0.05) / (min(lights) + 0.05)

    light = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert contrast() > 7
    tab.resize(1280, 900, dark=True)
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != light
    assert contrast() > 7


def test_on_paper_the_ground_is_light_and_no_table_is_cut(tab: Tab) -> None:
    tab.resize(720, 900)
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    tab.call("Emulation.setEmulatedMedia", media="print", features=dark)
    tab.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true })")
    right = tab.evaluate(
        "Math.max(...[...document.querySelectorAll('table')].map(t => t.getBoundingClientRect().right))"
    )
    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.call("Emulation.setEmulatedMedia", media="")
    assert right <= 720
    assert ground == "rgb(251, 252, 253)"


def test_a_mark_of_a_chart_tells_what_it_stands_for(tab: Tab) -> None:
    mark = "document.querySelector('figure .wide [role=graphics-symbol][aria-label^=quarry]')"
    tab.evaluate(
        f"{mark}.dispatchEvent(new PointerEvent('pointermove', {{bubbles: true, clientX: 400, clientY: 300}}))"
    )
    assert tab.evaluate("document.getElementById('tip').hidden") is False
    assert tab.evaluate("document.getElementById('tip').innerText").startswith("quarry: ")


def test_a_served_page_follows_a_board_that_was_made_anew(tab: Tab, page: Path, tmp_path: Path) -> None:
    shown = Path(shutil.copy(page, tmp_path / "board.html"))
    with open_server(tmp_path, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        tab.call("Page.navigate", url=f"http://127.0.0.1:{server.server_address[1]}/")
        deadline = time.monotonic() + 30
        part = "document.querySelector('#search-fetch > details')"
        while not tab.evaluate(f"Boolean({part}) && document.readyState === 'complete'"):
            assert time.monotonic() < deadline
        tab.evaluate(f"{part}.open = true")
        head = f"{FIRST_TABLE}.tHead.rows[0].cells[1]"
        tab.evaluate(f"{head}.querySelector('button').focus()")
        for _ in range(2):
            tab.press("Enter", 13, "\r")
        assert (turned := tab.evaluate(ARMS)) == ["quarry", "mill_fast", "lumen_deep"]
        edition = 0
        while tab.evaluate("document.title") != "A newer board":
            assert time.monotonic() < deadline
            edition += 1
            newer = tmp_path / "newer.html"
            newer.write_text(page.read_text().replace("<title>", "<title>A newer board</title><title>"))
            os.utime(newer, (edition, edition))
            newer.replace(shown)  # whole, as boards are written: a part of a page would follow nothing
            time.sleep(0.2)
        assert tab.evaluate(f"{part}.open")
        assert tab.evaluate(f"{head}.getAttribute('aria-sort')") == "descending"
        assert tab.evaluate(ARMS) == turned
        assert tab.evaluate(f"document.activeElement === {head}.querySelector('button')")
        server.shutdown()


def test_links_lead_to_the_audit_down_to_the_call(tab: Tab, page: Path) -> None:
    index = page.parent / tab.evaluate(f"{FIRST_TABLE}.querySelector('tbody th a').getAttribute('href')")
    tab.open(index)
    passed = tab.evaluate(
        "[...document.querySelectorAll('td a')].find(a => a.innerText === 'passed').getAttribute('href')"
    )
    tab.open(index.parent / passed.partition("#")[0])
    anchors = tab.evaluate("[...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.getAttribute('href').slice(1))")
    assert len(anchors) > 5
    assert tab.evaluate(
        "[...document.querySelectorAll('a[href^=\"#\"]')].every(a => document.getElementById(a.hash.slice(1)))"
    )
    assert tab.evaluate("document.querySelectorAll('mark').length") > 0
    assert complaints(tab) == []
    assert all(url.startswith("file:") for url in requests(tab))
    assert tab.evaluate("document.querySelector('.up a').href") == page.resolve().as_uri()
