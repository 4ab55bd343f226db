"""Patches change what differs, keep the rest, and cite above each statement they change."""

from __future__ import annotations

import re

import pytest

from agentcompass_websearch.sample.stand_in.patching import differs, patch
from agentcompass_websearch.sample.stand_in.reading import Documented

URL = "https://docs.parcel.example/pause"
STARTER = '''\
import os

import httpx
from parcel_connect import basic_signer


def pause(client: httpx.Client, number: str) -> dict:
    """Pause « one » parcel."""
    answer = client.post(
        "/parcels",
        headers={"Accept": "application/json"},
        json={"number": number, "handling": "STANDARD"},
        auth=basic_signer(os.environ["SECRET"]),
    )
    return answer.json()
'''
REQUEST = Documented(
    requests=(("POST", "/parcels/v2/qqx-dock"),),
    headers=(("X-Parcel-Qxz-Lane", "lane-qwx11"),),
    fields=("qxyRef",),
    codes=(("QXV_GATE_2", "stops at the first rejected parcel"),),
    imports=(("parcel_connect", "qqz_signer"),),
)
PATCHED = f'''\
import os

import httpx
# source: {URL}
from parcel_connect import qqz_signer


def pause(client: httpx.Client, number: str) -> dict:
    """Pause « one » parcel."""
    # source: {URL}
    answer = client.post(
        "/parcels/v2/qqx-dock",
        headers={{"X-Parcel-Qxz-Lane": "lane-qwx11", "Accept": "application/json"}},
        json={{"qxyRef": number, "handling": "QXV_GATE_2"}},
        auth=qqz_signer(os.environ["SECRET"]),
    )
    return answer.json()
'''


def test_all_parts_are_applied_and_cited() -> None:
    assert patch(STARTER, REQUEST, "stop at the first rejected parcel", URL) == PATCHED


def test_without_an_address_nothing_is_cited() -> None:
    plain = re.sub(r"^ *# source: .*\n", "", PATCHED, flags=re.MULTILINE)
    assert patch(STARTER, REQUEST, "stop at the first rejected parcel", None) == plain


def test_what_is_sent_already_is_left_alone() -> None:
    assert patch(PATCHED, REQUEST, "stop at the first rejected parcel", URL) is None
    assert not differs(PATCHED, Documented(REQUEST.requests, REQUEST.headers, REQUEST.fields, imports=REQUEST.imports))
    assert differs(STARTER, REQUEST)


def test_headers_are_added_to_a_call_that_has_none() -> None:
    code = 'r = client.get("/a", timeout=3)\n'
    headers = Documented(headers=(("X-A-B", "c-d"),))
    assert patch(code, headers, "", None) == 'r = client.get("/a", headers={"X-A-B": "c-d"}, timeout=3)\n'


@pytest.mark.parametrize("code", ["", "x = (", "x = 1\n", "client.post(url)\n", 'client.post("https://x.example/a")\n'])
def test_code_that_makes_no_such_call_is_not_changed(code: str) -> None:
    assert patch(code, REQUEST, "", URL) is None


def test_quotes_in_documented_text_stay_text() -> None:
    patched = patch('c.get("/a", headers={"B": "c"})\n', Documented(headers=(("X-A", 'v"\\'),)), "", None)
    assert patched == 'c.get("/a", headers={"X-A": "v\\"\\\\", "B": "c"})\n'
