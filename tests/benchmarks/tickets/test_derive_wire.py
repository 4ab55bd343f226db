"""What gold code sends as whole keys and values, however it is put together."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive_wire import sent_strings


def sent(source: str) -> set[str]:
    return set(sent_strings(ast.parse(dedent(source))))


@pytest.mark.parametrize("name", ["params", "headers", "json", "data", "content"])
def test_mappings_given_to_a_client(name: str) -> None:
    assert sent(f'client.get(url, {name}={{"key": "value", "deep": [{{"inner": ("a", x)}}]}})') == {
        *("key", "value", "deep", "inner", "a")
    }


def test_other_arguments_are_not_sent() -> None:
    assert sent('client.get("path", timeout="t", extensions={"trace": "x"}, auth=("user", "word"))') == set()


@pytest.mark.parametrize(
    "source",
    [
        'body = {"key": "value"}\npost(json=body)',
        'body: dict[str, str] = {"key": "value"}\npost(json=body)',
        'body = {}\nbody["key"] = "value"\npost(json=body)',
        'body = {}\nbody.update({"key": "value"})\npost(json=body)',
        'body = {}\nbody.update(dict(key="value"))\npost(json=body)',
        'body |= {"key": "value"}\npost(json=body)',
        'body = []\nbody.append(("key", "value"))\npost(params=body)',
        'body.setdefault("key", "value")\npost(json=body)',
        'post(json=dict(key="value"))',
        'post(json={**extra, "key": "value"})',
        'extra = {"key": "value"}\npost(json={**extra})',
        'post(json=extra | {"key": "value"})',
        'post(json={"key": "value"} if ready else None)',
        'post(json=given or {"key": "value"})',
        'post(json=(body := {"key": "value"}))',
        'post(params=[("key", "value")])',
        'post(data=json.dumps({"key": "value"}).encode())',
        'post(data=urlencode({"key": "value"}))',
        'url = base + "?" + urllib.parse.urlencode({"key": "value"})',
        'query = {"key": "value"}\nget(f"{base}?{urlencode(query)}")',
        'url.copy_with(query=str(httpx.QueryParams({"key": "value"})))',
        'post(content=json.dumps({"key": "value"}))',
        'body = {"key": "value"}\npost(json={k: v for k, v in body.items() if v})',
        'class C:\n def a(self):\n  self.body = {"key": "value"}\n def b(self):\n  post(json=self.body)',
        'def make():\n b = {"key": "value"}\n return b\npost(json=make())',
        'class C:\n def make(self):\n  return {"key": "value"}\n async def b(self):\n  post(json=self.make())',
        'async def make():\n return {"key": "value"}\npost(json=await make())',
        'def send(path, body):\n post(json=body)\nsend("/x", {"key": "value"})',
        'def send(path, *, body):\n post(json=body)\nsend("/x", body={"key": "value"})',
        'class C:\n def send(self, u, body):\n  post(json=body)\n def go(self):\n  self.send("/x", {"key": "value"})',
        'def send(path, kind="value"):\n post(json={"key": kind})\nsend("/x")',
        'def send(path, *, kind="value"):\n post(json={"key": kind})\nsend("/x")',
        'session.headers["key"] = "value"',
        'session.headers.update({"key": "value"})',
        'client = Client(headers={"key": "value"})',
    ],
)
def test_a_mapping_is_followed_to_where_it_is_written(source: str) -> None:
    assert sent(source) == {"key", "value"}


@pytest.mark.parametrize(
    "source",
    [
        'log({"key": "value"})',
        'body = {"key": "value"}\nreturn_value(body)',
        'post(json={x: f"{y} value"})',
        'post(json={x: "key" + y})',
        'post(json=load("key"))',
        'post(json=CONFIG["key"])',
        'def send(path, body):\n post(json=body)\nsend("key", b)',
        "def f(body):\n post(json=body)\n f(body)",
        "a = b\nb = a\npost(json=a)",
        'def loop():\n return loop()\npost(json=loop(), data="".join(parts))',
    ],
)
def test_what_is_not_sent_whole_does_not_count(source: str) -> None:
    assert sent(source) == set()
