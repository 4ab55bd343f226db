"""Results of a search engine in the form that SerpApi gave them and others took over: ``organic_results``."""

from __future__ import annotations

import re
from typing import Final

from agentcompass_websearch.records import Hit
from agentcompass_websearch.tools import results
from agentcompass_websearch.tools.contract import ErrorKind, SearchRequest
from agentcompass_websearch.tools.http import Answer, Fault, HttpReply

_NOTHING: Final = re.compile(r"(has|did)\s?n[o'\u2019]t return(ed)? any results", re.IGNORECASE)


def parse_search(reply: HttpReply, request: SearchRequest) -> Answer[tuple[Hit, ...]]:
    """Return the hits. Where nothing was found, HTTP 200 says so in ``error``; any other error there is a failure."""
    body = reply.json_object()
    said = results.words(body.get("error"))
    if said and not _NOTHING.search(said):
        raise Fault(ErrorKind.SERVER, f"HTTP {reply.status}, but an error: {said[:200]}", status=reply.status)
    if not said and "search_metadata" not in body:
        raise Fault(ErrorKind.UNREADABLE, "the answer has no 'search_metadata'")
    return Answer(results.hits(results.optional_section(body, "organic_results"), url="link"))
