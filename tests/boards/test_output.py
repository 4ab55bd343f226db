"""The folder of a board: complete, self-contained, safe against hostile texts, without secrets, and replaced whole."""

from __future__ import annotations

import errno
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from agentcompass_websearch.boards import draw
from agentcompass_websearch.boards.output import FILES, write_board
from agentcompass_websearch.errors import UsageError
from perf.board_world import FictionalArm
from tests.boards.conftest import edit, results
from tests.boards.hostile import poison


@pytest.fixture(scope="module")
def out(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "board"
    write_board([finished], out)
    return out


class Page(HTMLParser):
    """What a browser would make of a page: its tags with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_all_files_are_there(out: Path) -> None:
    assert {file.name for file in out.iterdir()} == {
        "board.json",
        "board.md",
        "board.csv",
        "board.html",
        "charts",
        "audit",
    }
    drawn = {file.name for file in (out / "charts").iterdir()}
    assert {"search-fetch-completion.svg", "search-fetch-cost.png", "no-search-losses.svg"} <= drawn
    assert (out / "charts/search-fetch-completion.png").read_bytes().startswith(b"\x89PNG")


def test_the_page_is_one_file_that_loads_nothing(out: Path) -> None:
    page = Page((out / "board.html").read_text())
    assert (out / "board.html").stat().st_size < 5_000_000
    assert not [
        tag for tag, attrs in page.tags if tag in ("link", "img", "iframe", "object", "embed") or "src" in attrs
    ]
    links = [attrs["href"] or "" for tag, attrs in page.tags if tag == "a"]
    assert all(href.startswith("#") or (out / href).is_file() for href in links)
    assert len([href for href in links if href.startswith("audit/")]) == 5


def test_charts_come_in_both_widths_and_follow_the_ground(out: Path) -> None:
    text = (out / "board.html").read_text()
    assert text.count('class="wide"') == text.count('class="narrow"') == 6
    inside = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert all("var(--" in svg for svg in inside)
    assert "var(--" not in (out / "charts/search-fetch-completion.svg").read_text()


def test_tables_can_be_sorted_and_read_out(out: Path) -> None:
    page = Page((out / "board.html").read_text())
    heads = [attrs for tag, attrs in page.tags if tag == "th" and attrs.get("scope") == "col"]
    buttons = [attrs for tag, attrs in page.tags if tag == "button"]
    assert len(heads) == len(buttons) > 50
    regions = [attrs for _, attrs in page.tags if attrs.get("role") == "region"]
    assert all(region["tabindex"] == "0" and region["aria-label"] for region in regions)


def test_hostile_texts_stay_texts(copied: Path, tmp_path: Path) -> None:
    for run in copied.glob("[lq]*/*/*"):
        poison(run)
    write_board([copied], tmp_path / "out", allow_mixed=True)
    pages = list((tmp_path / "out").rglob("*.html"))
    assert len(pages) == 66
    assert sum("alert(1)" in page.read_text() for page in pages) > 20, "the texts are shown"
    for page in pages:
        tags = Page(page.read_text()).tags
        assert not [tag for tag, _ in tags if tag in ("img", "iframe")]
        assert [tag for tag, _ in tags].count("script") == (page.name == "board.html")
        assert not [name for _, attrs in tags for name in attrs if name.startswith("on")]
        hrefs = [attrs["href"] or "" for _, attrs in tags if "href" in attrs]
        assert all(
            href.startswith(("#", "https://", "audit/", "index.html", "../")) or href.endswith(".html") or "#r" in href
            for href in hrefs
        )
        assert not [href for href in hrefs if ":" in href and not href.startswith("https://")]


def test_secrets_are_in_no_output(copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key among the run's settings, and one that a vendor echoed into a page while it is set in the environment."""
    named, valued = "canary-4711-in-settings", "canary-4712-in-page"
    monkeypatch.setenv("QUARRY_API_KEY", valued)
    (run,) = copied.glob("quarry*/*/*")
    edit(run / "run_info.json", lambda i: i["request"]["harness"]["params"].update(vendor_api_key=named))
    options = {
        "api_key": named,
        "clientSecret": named,
        "base_url": f"https://me:{named}@a.example/?page=1&api_key={named}",
    }
    for file in results(run):
        text = file.read_text().replace("documentation asks", f"documentation {valued} asks")
        file.write_text(text)
        edit(file, lambda r: r["meta"]["harness"]["telemetry"]["websearch"]["vendor"].update(options=options))
    write_board([copied], tmp_path / "out", allow_mixed=True)
    assert "https://a.example/?page=1&amp;api_key=********" in (tmp_path / "out/board.html").read_text()
    for file in (tmp_path / "out").rglob("*"):
        if file.is_file():
            assert named.encode() not in file.read_bytes()
            assert valued.encode() not in file.read_bytes()


def test_a_board_replaces_the_one_before_it_and_nothing_else(copied: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_board([copied], out)
    before = {file.relative_to(out) for file in out.rglob("*")}
    write_board([*copied.glob("quarry*")], out, audit=False)
    assert not (out / "audit").exists()
    assert {file.relative_to(out) for file in out.rglob("*")} < before
    assert '<a href="audit' not in (out / "board.html").read_text()


def test_a_folder_that_is_no_place_for_a_board_is_refused(copied: Path, tmp_path: Path) -> None:
    (run,) = copied.glob("quarry*/*/*")
    with pytest.raises(UsageError, match="is a run directory"):
        write_board([copied], run)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("x")
    with pytest.raises(UsageError, match="holds something else"):
        write_board([copied], tmp_path / "mine")
    with pytest.raises(UsageError, match="is no folder"):
        write_board([copied], tmp_path / "mine/thesis.txt")


def test_runs_without_any_attempt_make_no_board(copied: Path, tmp_path: Path) -> None:
    (run,) = copied.glob("quarry*/*/*")
    for file in results(run):
        file.unlink()
    with pytest.raises(UsageError, match=r"no attempt can be read(.|\n)*no attempt is stored in it yet"):
        write_board([run], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_board_of_somebody_else_is_left_alone(copied: Path, tmp_path: Path) -> None:
    (tmp_path / "mine/audit").mkdir(parents=True)
    (tmp_path / "mine/audit/precious.txt").write_text("x")
    (tmp_path / "mine/board.json").write_text('{"columns": ["to do", "done"]}')
    with pytest.raises(UsageError, match="holds something else"):
        write_board([copied], tmp_path / "mine")
    assert (tmp_path / "mine/audit/precious.txt").read_text() == "x"


def test_where_something_fails_the_old_board_stays_and_the_next_try_may_write(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"

    def full(*_: object) -> bytes:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr(draw, "png", full)
        with pytest.raises(OSError, match="No space"):
            write_board([copied], out)
    write_board([*copied.glob("quarry*")], out)
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    with monkeypatch.context() as broken:
        broken.setattr(draw, "png", full)
        with pytest.raises(OSError, match="No space"):
            write_board([copied], out)
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before
    write_board([copied], out)
    assert {file.name for file in out.iterdir()} == {*FILES, "audit", "charts"}


def test_two_models_are_told_apart_everywhere(make_run: Callable[..., list[Path]], tmp_path: Path) -> None:
    make_run(*(FictionalArm(vendor, "search-fetch", 0.7, model=m) for vendor in ("a", "b") for m in ("alpha", "beta")))
    write_board([tmp_path / "runs"], tmp_path / "out", audit=False)
    page = (tmp_path / "out/board.html").read_text()
    assert "<h3>Task completion</h3>" in page
    for title in ("Every pair, tested", "Do the bills add up?", "Were the arms treated alike?", "What failed"):
        part = page[page.index(f"<summary>{title}") :].partition("</details>")[0]
        assert {"a (alpha)", "a (beta)", "b (alpha)", "b (beta)"} <= set(re.findall(r">([ab] \(\w+\))<", part)), title
    pairs = (tmp_path / "out/board.md").read_text().partition("### Where attempts")[2]
    assert "| a (alpha) |" in pairs
    assert "| b (beta) |" in pairs
