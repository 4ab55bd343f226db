"""The vendor ``ddgs`` with a stand-in for the library: the same names, the same calls, the same exceptions."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from types import ModuleType
from typing import Any, ClassVar

import pytest

from agentcompass_websearch.errors import UsageError
from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools.contract import ErrorKind, FetchRequest, SearchRequest, VendorClient
from agentcompass_websearch.tools.direct import client as direct_client
from agentcompass_websearch.tools.direct.client import DirectClient
from agentcompass_websearch.tools.direct.network import Network
from agentcompass_websearch.tools.opening import check_options, open_client
from agentcompass_websearch.tools.testing import VendorContract, html_reply, impatient, serving
from agentcompass_websearch.tools.transport import Transport
from agentcompass_websearch.tools.vendors import ddgs
from tests.support.vendor_replies import FOLDER

VENDOR = ddgs.websearch_vendor()
FOUND: list[Any] = json.loads((FOLDER / "ddgs" / "search.json").read_text(encoding="utf-8"))
EXTRACTED = json.loads((FOLDER / "ddgs" / "fetch.json").read_text(encoding="utf-8"))
NOTHING = json.loads((FOLDER / "ddgs" / "error.json").read_text(encoding="utf-8"))


class DDGSException(Exception):
    """The root of the library's exceptions."""


class RatelimitException(DDGSException):
    """An engine is asked too often."""


class TimeoutException(DDGSException):
    """An engine does not answer in time."""


class Library:
    """What the tests script, and what the library was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.answer: Callable[[str], list[Any]] = lambda query: FOUND

    def module(self) -> dict[str, ModuleType]:
        library = self

        class DDGS:
            def __init__(self, proxy: str | None = None, timeout: int | None = 5, *, verify: bool = True) -> None:
                self._timeout = timeout

            def text(self, query: str, **given: Any) -> list[Any]:
                library.asked.append({"query": query, "timeout": self._timeout, **given})
                return library.answer(query)

        root, engines, exceptions = ModuleType("ddgs"), ModuleType("ddgs.engines"), ModuleType("ddgs.exceptions")
        root.__path__ = []
        vars(root).update(DDGS=DDGS, engines=engines, exceptions=exceptions)
        vars(engines).update(ENGINES={"text": {"duckduckgo": object, "brave": object, "mojeek": object}, "news": {}})
        vars(exceptions).update({kind.__name__: kind for kind in (DDGSException, RatelimitException, TimeoutException)})
        return {"ddgs": root, "ddgs.engines": engines, "ddgs.exceptions": exceptions}


@pytest.fixture(autouse=True)
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    library = Library()
    for name, module in library.module().items():
        monkeypatch.setitem(sys.modules, name, module)
    return library


def opened(*, rate_per_s: float | None = None, concurrency: int | None = None, **options: Any) -> VendorClient:
    transport = Transport(patience=impatient())
    limits: dict[str, Any] = {"rate_per_s": rate_per_s, "concurrency": concurrency}
    return open_client(VENDOR, VENDOR.modes[""], api_key="", options=options, transport=transport, **limits)


def raising(error: Exception) -> Callable[[str], list[Any]]:
    def answer(query: str) -> list[Any]:
        raise error

    return answer


class TestContract(VendorContract):
    vendor = VENDOR
    known_url: ClassVar[str] = ""

    @asynccontextmanager
    async def client(self) -> AsyncIterator[VendorClient]:
        yield opened()

    def test_a_fetch_reads_a_page(self) -> None:
        assert isinstance(vars(opened())["_reader"], DirectClient), (
            "pages are read by the direct reader, tested as such"
        )


async def test_hits_and_what_the_library_is_asked(library: Library) -> None:
    outcome = await opened().search(SearchRequest("  orders\x00 site:docs.acme.example ", max_results=5))
    assert outcome.value == (
        Hit(
            "https://docs.acme.example/orders/api/v2/list", "List orders (v2) | Acme Docs", "page_size may be 1 to 200."
        ),
        Hit("https://guides.acme.example/guides/pagination", "Pages and cursors", ""),
    )
    assert (outcome.tries, outcome.billed) == (1, False)
    chosen = {"region": "us-en", "max_results": 5, "backend": "duckduckgo"}
    assert library.asked == [{"query": "orders site:docs.acme.example", "timeout": 10, **chosen}]


async def test_engine_and_region_are_pinned(library: Library) -> None:
    await opened(backend="mojeek", region="de-de").search(SearchRequest("x"), deadline=time.monotonic() + 4)
    assert library.asked == [{"query": "x", "timeout": 4, "region": "de-de", "max_results": 8, "backend": "mojeek"}]


async def test_nothing_found_is_raised_and_is_an_empty_answer(library: Library) -> None:
    assert NOTHING["exception"] == "ddgs.exceptions.DDGSException"
    library.answer = raising(DDGSException(NOTHING["message"]))
    outcome = await opened().search(SearchRequest("x"))
    assert (outcome.value, outcome.tries) == ((), 1)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (RatelimitException("https://engine.example 202 Ratelimit"), ErrorKind.RATE_LIMIT),
        (TimeoutException("operation timed out"), ErrorKind.TIMEOUT),
        (DDGSException("ConnectError: no route"), ErrorKind.SERVER),
        (ValueError("<html>" + "x" * 5000), ErrorKind.SERVER),
    ],
)
async def test_failures_are_retried_and_then_told_in_short(library: Library, error: Exception, kind: ErrorKind) -> None:
    library.answer = raising(error)
    outcome = await opened().search(SearchRequest("x"))
    assert outcome.error is not None
    assert (outcome.error.kind, outcome.tries, len(library.asked)) == (kind, 3, 3)
    assert len(outcome.error.message) < 250


async def test_a_failure_that_passes_is_no_failure(library: Library) -> None:
    answers: list[Callable[[str], list[Any]]] = [raising(RatelimitException("slow down")), lambda query: FOUND]
    library.answer = lambda query: answers.pop(0)(query)
    outcome = await opened().search(SearchRequest("x"))
    assert outcome.value
    assert outcome.tries == 2


async def test_a_search_that_hangs_ends_at_the_deadline(library: Library) -> None:
    release = threading.Event()
    library.answer = lambda query: FOUND if release.wait(10) else []
    try:
        started = time.monotonic()
        outcome = await opened().search(SearchRequest("x"), deadline=started + 0.2)
        assert time.monotonic() - started < 5
    finally:
        release.set()
    assert outcome.error is not None
    assert outcome.error.kind is ErrorKind.DEADLINE


async def test_the_event_loop_goes_on_while_the_library_blocks(library: Library) -> None:
    release = threading.Event()
    library.answer = lambda query: FOUND if release.wait(10) else []
    search = asyncio.create_task(opened().search(SearchRequest("x")))
    await asyncio.sleep(0.01)
    release.set()
    assert (await search).value


async def test_calls_are_limited(library: Library) -> None:
    now: list[int] = []
    most = 0

    def answer(query: str) -> list[Any]:
        nonlocal most
        now.append(1)
        most = max(most, len(now))
        time.sleep(0.005)
        now.pop()
        return FOUND

    library.answer = answer
    client = opened(concurrency=2)
    await asyncio.gather(*(client.search(SearchRequest("x")) for _ in range(10)))
    assert most == 2


async def test_rows_of_any_form_do_no_harm(library: Library) -> None:
    library.answer = lambda query: [None, "text", {"href": 5}, {"href": "https://docs.acme.example/a", "title": None}]
    assert (await opened().search(SearchRequest("x"))).value == (Hit("https://docs.acme.example/a"),)


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://169.254.169.254/latest", "file:///etc/passwd"])
async def test_pages_that_are_not_public_are_refused(library: Library, url: str) -> None:
    outcome = await opened().fetch(FetchRequest(url))
    assert outcome.error is not None
    assert (outcome.error.kind, outcome.error.vendor_id) == (ErrorKind.NOT_PUBLIC, "ddgs")
    assert opened().fingerprint == {"fetch_pdf": "read"}


async def test_a_fetch_gives_what_the_librarys_own_reader_gives_without_asking_it(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    monkeypatch.setattr(direct_client, "Network", lambda: Network(resolve, lambda address: address.is_loopback))
    heading, *paragraphs = EXTRACTED["content"].strip().split("\n\n")
    texts = "".join(f"<p>{re.sub('`(.*?)`', r'<code>\1</code>', text)}</p>" for text in paragraphs)
    main = f"<main><h1>{heading.removeprefix('# ')}</h1>{texts}</main>"
    page = html_reply(f"<html><head><title>List orders</title></head><body><nav>Home</nav>{main}</body></html>")
    async with serving(lambda request: page) as server:
        port = server.url.rpartition(":")[2]
        url = EXTRACTED["url"].replace("https://docs.acme.example", f"http://docs.acme.example:{port}")
        outcome = await opened().fetch(FetchRequest(url))
    assert outcome.value == Page(url, url, "List orders", EXTRACTED["content"].strip(), 200)
    assert library.asked == []


@pytest.mark.parametrize("backend", ["auto", "all", "bing", "duckduckgo,brave", "", ["brave"]])
def test_only_one_engine_that_the_library_knows_can_be_chosen(backend: Any) -> None:
    with pytest.raises(UsageError, match=r"backend of ddgs must be one of brave, duckduckgo, mojeek"):
        check_options(VENDOR, {"backend": backend})


def test_a_wrong_region() -> None:
    with pytest.raises(UsageError, match="region of ddgs must be text"):
        check_options(VENDOR, {"region": 5})


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ddgs", None)
    with pytest.raises(UsageError, match=r"pip install 'agentcompass-websearch\[ddgs\]'"):
        check_options(VENDOR, {})
    with pytest.raises(UsageError, match="needs a library"):
        opened()
