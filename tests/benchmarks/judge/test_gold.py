"""The kind of a needle by where the gold code has it."""

from __future__ import annotations

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import kind_in_gold


@pytest.mark.parametrize(
    "gold",
    [
        "HEADERS = {'X-Mode': '1'}",
        "headers: dict = {'X-Mode': '1'}",
        "self.headers = {'X-Mode': '1'}",
        "default_headers = {'X-Mode': '1'}",
        "httpx.get(u, headers={'X-Mode': '1'})",
        "httpx.get(u, headers={**base, 'X-Mode': '1'})",
        "httpx.get(u, headers={**{'X-Mode': '1'}, 'a': 1})",
        "httpx.get(u, headers=base | {'X-Mode': '1'})",
        "httpx.get(u, headers=a if b else {'X-Mode': '1'})",
        "httpx.get(u, headers=httpx.Headers({'X-Mode': '1'}))",
        "httpx.get(u, headers=[('X-Mode', '1')])",
        "httpx.Client(extra_headers={'x-mode': '1'})",
        "r.headers['X-Mode'] = '1'",
        "x = headers['X-Mode']",
        "del client.headers['X-Mode']",
        "r.headers.update({'X-Mode': '1'})",
        "r.headers.setdefault('X-Mode', '1')",
        "req.add_header('X-Mode', '1')",
        "options = {'headers': {'X-Mode': '1'}}",
        "def headers():\n    return {'X-Mode': '1'}",
        "class A:\n    async def _headers(self):\n        return {'X-Mode': '1'}",
        "auth_header = {'X-Mode': '1'}",
        "requestHeaders = {'X-Mode': '1'}",
        "HTTPHeaders = {'X-Mode': '1'}",
        "def headers_of(tenant):\n    return {'X-Mode': '1'}",
        "MODE = 'X-Mode'\nhttpx.get(u, headers={MODE: '1'})",
    ],
)
def test_keys_of_headers(gold: str) -> None:
    assert kind_in_gold("X-Mode", gold) == "header"
    assert kind_in_gold("X-Mod", gold) == "other"


@pytest.mark.parametrize(
    "gold",
    [
        "params = {'X-Mode': '1'}",
        "headers = {'Accept': 'X-Mode'}",
        "httpx.get(u, headers={'Accept': 'X-Mode'}, params={'X-Mode': 1})",
        "r.params.setdefault('X-Mode', '1')",
        "call(_soapheaders={'X-Mode': '1'})",
        "call(POHEADER={'X-Mode': '1'})",
        "body = {'Common_Header': {'X-Mode': '1'}}",
        "x = 'X-Mode'",
        "x = (",
        "",
        "f()\nheaders[0] = 'X-Mode'",
        "headers.update(x)\nrows = [('X-Mode', 1)]",
    ],
)
def test_other_places(gold: str) -> None:
    assert kind_in_gold("X-Mode", gold) == "other"


def test_paths() -> None:
    assert kind_in_gold("/api/v2", "x = '/api/v2'") == "path"
    assert kind_in_gold("a/b", "x = (") == "path"
    assert kind_in_gold("application/x-acme", "headers = {'application/x-acme': 1}") == "header"
    assert kind_in_gold("", "headers = {'': 1}") == "header"
    assert kind_in_gold("\ud800", "x = '\ud800'") == "other"
