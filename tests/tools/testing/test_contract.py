"""A stranger's vendor under the public contract, and faulty ones: each is caught, and told what to do."""

from __future__ import annotations

import asyncio
import logging
import urllib.error
import urllib.request
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from agentcompass_websearch.records import Hit, Page
from agentcompass_websearch.tools import results
from agentcompass_websearch.tools.contract import (
    ErrorKind,
    FetchRequest,
    Outcome,
    SearchRequest,
    Vendor,
    VendorError,
    VendorSettings,
)
from agentcompass_websearch.tools.http import BEARER, Answer, Endpoint, Fault, HttpReply, HttpRequest, Rule
from agentcompass_websearch.tools.testing import HttpVendorContract, Reply, json_reply
from tests.support.strangers_vendor import API, OwnClient, StrangersContract, parse_search, stranger


class TestStranger(StrangersContract):
    __test__ = True
    options: ClassVar[dict[str, Any]] = {"env_proxies": False}


class TestStrangerWithAClientOfItsOwn(StrangersContract):
    __test__ = True
    vendor = stranger(client=OwnClient)


def swallow(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    body = reply.json_or_none
    return Answer(results.hits(body.get("hits") or [], url="link") if isinstance(body, dict) else ())


def not_clean(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    return Answer(tuple(Hit(row["link"], str(row["name"]), str(row["text"])) for row in reply.json()["hits"]))


def no_urls(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    return Answer((Hit("no url", "A", ""),))


def empty_is_an_error(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    answer = parse_search(reply, request)
    if not answer.value:
        raise Fault(ErrorKind.SERVER, "no results")
    return answer


def any_page(reply: HttpReply, request: FetchRequest) -> Answer[Page]:
    return Answer(Page(request.url, content=str(reply.json_object().get("text"))))


class Repeats(OwnClient):
    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        outcome = await super().search(request, deadline=deadline)
        again = tuple(Hit(f"{hit.url}#again", hit.title) for hit in outcome.value or ())
        return replace(outcome, value=(*outcome.value, *again)[: request.max_results]) if outcome.value else outcome


class GivesAll(OwnClient):
    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        return await super().search(replace(request, max_results=1000), deadline=deadline)


def no_unicode(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    return HttpRequest("GET", "/find", params={"q": request.query.encode("ascii").decode()})


def key_in_the_url(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    return HttpRequest("GET", f"/find/{settings.api_key}", params={"q": request.query})


def any_form(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    return Answer(results.hits(reply.json_object().get("hits") or [], url="link", title="name", snippet="text"))


def for_one_mode(request: SearchRequest, settings: VendorSettings) -> HttpRequest:
    return HttpRequest("GET", "/find", params={"q": request.query, "depth": {"": 1}[settings.mode.name]})


class SaysTheKey(OwnClient):
    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        outcome = await super().search(request, deadline=deadline)
        if outcome.error is None:
            return outcome
        said = f"{outcome.error.message} (the key is {self.settings.api_key})"
        return replace(outcome, error=VendorError(outcome.error.kind, "stranger", said))


class LogsTheKey(OwnClient):
    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]:
        logging.getLogger("stranger").debug("GET %s?key=%s", request.url, self.settings.api_key)
        return await super().fetch(request, deadline=deadline)


class KnowsAsciiOnly(OwnClient):
    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        request.query.encode("ascii")
        return await super().search(request, deadline=deadline)


class CatchesAll(OwnClient):
    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        try:
            return await super().search(request, deadline=deadline)
        except (OSError, asyncio.CancelledError) as error:
            failure = VendorError(ErrorKind.SERVER, "stranger", type(error).__name__)
            return Outcome(error=failure)


class CannotBeStopped(OwnClient):
    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]:
        return await asyncio.shield(asyncio.ensure_future(self._fetch(request, deadline)))

    async def _fetch(self, request: FetchRequest, deadline: float | None) -> Outcome[Page]:
        try:
            return await super().fetch(request, deadline=deadline)
        except asyncio.CancelledError:
            return await super().fetch(request, deadline=deadline)


class StaysWhenCancelled(CannotBeStopped):
    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]:
        return await self._fetch(request, deadline)


class Blocks(OwnClient):
    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]:
        try:
            url = f"{self.settings.options['fetch_base_url']}/page"
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=10) as reply:
                reply.read()
        except urllib.error.HTTPError:
            return Outcome(error=VendorError(ErrorKind.SERVER, "stranger", "failed"))
        return await super().fetch(request, deadline=deadline)


class IgnoresTheDeadline(OwnClient):
    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        return await super().search(request)


class ReturnsAList(OwnClient):
    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Any:
        return list((await super().search(request, deadline=deadline)).value or ())


class SendsAnything(OwnClient):
    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]:
        outcome = await super().fetch(replace(request, url="https://docs.acme.example/"), deadline=deadline)
        return replace(outcome, value=Page(request.url, content="any")) if outcome.value else outcome


DISTINCT = "test_results_are_distinct_clean_and_no_more_than_asked_for"
FINDS = "test_a_search_finds_distinct_hits_within_the_limit"
CANCELLED = "test_a_cancelled_call_ends_at_once"
KEY = "test_the_key_is_sent_and_appears_nowhere_else"
KINDS = "test_refusals_are_of_their_kinds"


@pytest.mark.parametrize(
    ("vendor", "check", "advice"),
    [
        (stranger(auth=BEARER), KEY, r"must carry x-stranger-key: \{key\}.* stands in authorization; .*auth=Auth"),
        (stranger(auth=replace(BEARER, header="")), KEY, "stands in no header or parameter"),
        (stranger(search=Endpoint(API, key_in_the_url, parse_search)), KEY, "has the key in the path too"),
        (
            stranger(search=Endpoint(API, for_one_mode, parse_search)),
            "test_each_mode_can_be_asked",
            "a search of mode 'deep' failed: .*KeyError",
        ),
        (stranger(client=SaysTheKey), KEY, "stands in the error message: remove it .*Redactor"),
        (stranger(client=LogsTheKey), KEY, "stands in a log line"),
        (stranger(client=Repeats), DISTINCT, r"two hits are one page .*results\.distinct"),
        (stranger(client=GivesAll), DISTINCT, r"hits where 8 were asked for: results\.distinct"),
        (stranger(not_clean), DISTINCT, r"control characters or lone surrogates: .*text\.clean"),
        (stranger(no_urls), FINDS, r"without an http\(s\) URL is none: drop it"),
        (stranger(client=ReturnsAList), FINDS, "returned list; a client returns an Outcome"),
        (stranger(rules=(Rule("empty", {429}),)), KINDS, "expected an error of kind rate_limit, got .*tried again"),
        (stranger(rules=(Rule(ErrorKind.BAD_REQUEST, {401}),)), KINDS, "expected an error of kind auth.* ends the run"),
        (stranger(rules=()), KINDS, "expected an error of kind quota.*no later try can help"),
        (stranger(empty_is_an_error), "test_nothing_found_is_an_empty_answer", "is an answer without hits, no error"),
        (stranger(client=KnowsAsciiOnly), "test_odd_queries_never_raise", "UnicodeEncodeError.*A client never raises"),
        (
            stranger(search=Endpoint(API, no_unicode, parse_search)),
            "test_odd_queries_never_raise",
            "must be answered, or refused as BAD_REQUEST: .*UnicodeEncodeError",
        ),
        (
            stranger(any_form),
            "test_an_answer_without_results_of_the_usual_form_is_not_empty",
            r"is no search that finds nothing: results\.section",
        ),
        (stranger(client=CatchesAll), CANCELLED, "end at once, as cancelled: .*catch CancelledError"),
        (stranger(client=StaysWhenCancelled), CANCELLED, "a cancelled fetch must end at once"),
        (stranger(client=Blocks), "test_the_event_loop_goes_on_during_a_call", "a fetch blocks .*asyncio.to_thread"),
        (
            stranger(parse_fetch=any_page),
            "test_a_page_that_cannot_be_read_is_an_ordinary_reply",
            r"kind target, got Page.*results\.unread",
        ),
        (
            stranger(parse_fetch=any_page),
            "test_pages_are_clean_and_one_without_text_is_none",
            "expected an error of kind target",
        ),
        (stranger(client=IgnoresTheDeadline), "test_a_hang_ends_at_the_deadline", "kind deadline.*as a time limit"),
        (stranger(client=SendsAnything), "test_addresses_that_are_not_public_are_never_sent", "why_not_public"),
        (stranger(swallow), "test_unreadable_answers_are_retried", "UNREADABLE and tried again, never an empty one"),
        (stranger(swallow), "test_a_wrong_address_says_what_to_set", "say what to set"),
        (replace(stranger(), default_mode="other"), "test_it_describes_itself", "default_mode must be"),
        (replace(stranger(), options={}), "test_it_takes_the_options_of_http_vendors", "must take base_url"),
    ],
)
def test_the_contract_catches_a_faulty_vendor_and_says_what_to_do(vendor: Vendor, check: str, advice: str) -> None:
    faulty = type("_", (StrangersContract,), {"vendor": vendor})()
    with pytest.raises(AssertionError, match=f"(?s){advice}"):
        getattr(faulty, check)()


@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("found", FINDS),
        ("page", "test_a_fetch_reads_a_page"),
        ("nothing_found", "test_nothing_found_is_an_empty_answer"),
        ("no_page", "test_a_page_that_cannot_be_read_is_an_ordinary_reply"),
    ],
)
def test_a_reply_that_is_not_given_is_asked_for(name: str, check: str) -> None:
    test = type("TestAcme", (StrangersContract,), {name: getattr(HttpVendorContract, name)})()
    with pytest.raises(AssertionError, match=rf"TestAcme needs {name} = json_reply\(\.\.\.\): the API's answer"):
        getattr(test, check)()


class FindsAnything(OwnClient):
    async def search(self, request: SearchRequest, *, deadline: float | None = None) -> Outcome[tuple[Hit, ...]]:
        return Outcome((Hit("https://docs.acme.example/a", "A"),), service_s=0.0, tries=1)

    async def fetch(self, request: FetchRequest, *, deadline: float | None = None) -> Outcome[Page]:
        return Outcome(Page(request.url, content="anything"), service_s=0.0, tries=1)


@pytest.mark.parametrize(
    ("check", "advice"),
    [
        ("test_a_search_for_the_unknown_is_an_empty_answer", "nothing found is an answer without hits"),
        ("test_a_fetch_of_the_unknown_is_an_ordinary_reply", "expected an error of kind target"),
    ],
)
def test_what_is_unknown_is_not_found(check: str, advice: str) -> None:
    unknown = {"unknown_query": "zzzz", "unknown_url": "https://docs.acme.example/gone"}
    faulty = type("_", (StrangersContract,), {"vendor": stranger(client=FindsAnything), **unknown})()
    with pytest.raises(AssertionError, match=advice):
        getattr(faulty, check)()


@pytest.mark.parametrize("found", [json_reply({"hits": []}), json_reply([1]), Reply(200, b"not JSON")])
def test_a_reply_without_results_cannot_be_varied(found: Reply) -> None:
    test = type("_", (StrangersContract,), {"found": found})()
    with pytest.raises(AssertionError, match="must have a list with at least one result"):
        getattr(test, DISTINCT)()
