"""The loop of an agent over an index of pages: what the stand-in is tried with, without host or harness."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import httpx

from agentcompass_websearch.tools.local.index import Index, build
from agentcompass_websearch.tools.local.pages import PageSet

SYSTEM = "Patch the client. Answer with the whole file in one python block, '# source: URL' above documented names."
FETCH_CHARS = 16000


def index_of(pages: Iterable[Mapping[str, str]]) -> Index:
    """Return a full-text index of `pages`."""
    kept = list(pages)
    return build(PageSet("", len(kept), lambda: kept))


def tool(name: str, *parameters: str) -> dict[str, Any]:
    """Return a function tool as chat completions take it."""
    schema = {"type": "object", "properties": {p: {"type": "string"} for p in parameters}}
    return {"type": "function", "function": {"name": name, "parameters": schema}}


SEARCH, FETCH = tool("web_search", "query"), tool("web_fetch", "url", "objective")


def task(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the messages that a ticket begins with."""
    prompt = f"{row['ticket']}\n\nThe current file, {row['outfile']}:\n\n```python\n{row['starter_code']}```\n"
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": prompt}]


def attempt(
    client: httpx.Client,
    row: Mapping[str, Any],
    index: Index | None,
    tools: list[dict[str, Any]],
    scope: Literal["page", "title"] = "page",
) -> tuple[str, list[dict[str, Any]]]:
    """Run one attempt at a ticket; return the final answer and all messages."""
    messages = task(row)
    left = {"web_search": 5, "web_fetch": 5}
    for _ in range(32):
        body = {"model": "scripted-stand-in", "messages": messages} | ({"tools": tools} if tools else {})
        message = client.post("chat/completions", json=body).raise_for_status().json()["choices"][0]["message"]
        messages.append(message)
        if not message.get("tool_calls"):
            return str(message["content"]), messages
        for call in message["tool_calls"]:
            name, arguments = call["function"]["name"], json.loads(call["function"]["arguments"])
            assert index is not None
            reply = _reply(index, left, name, arguments, scope)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(reply)})
    raise AssertionError("no answer within 32 turns")


def _reply(
    index: Index, left: dict[str, int], name: str, arguments: Mapping[str, str], scope: Literal["page", "title"]
) -> dict[str, Any]:
    if left[name] == 0:
        return {"error": "no calls left"}
    left[name] -= 1
    if name == "web_search":
        hits = index.search(arguments["query"], 8, scope)
        results = [{"url": hit.url, "title": hit.title, "snippet": hit.snippet} for hit in hits]
        return {"query": arguments["query"], "results": results, "searches_left": left[name]}
    page = index.page(arguments["url"])
    if page is None:
        return {"error": "not found", "url": arguments["url"]}
    return {"url": page.url, "title": page.title, "content": page.text[:FETCH_CHARS], "fetches_left": left[name]}
