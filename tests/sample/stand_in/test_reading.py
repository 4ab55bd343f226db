"""The stand-in reads requests from sentences, tables and examples, whole or cut."""

from __future__ import annotations

import pytest

from agentcompass_websearch.sample.stand_in.reading import Documented, read

SENTENCE = (
    "To pause a parcel, send `POST /parcels/v2/qqx-dock` with the header `X-Parcel-Qxz-Lane: lane-qwx11` and put the "
    "number into the body field `qxyRef`. Sign the request with `qqz_signer` from `parcel_connect`. Handling codes: "
    "`QXC_GATE_1` skips locked parcels; `QXV_GATE_2` stops at the first rejected parcel."
)
TABLE = """
| Part | Name | Required | Value |
| --- | --- | --- | --- |
| Method and path | `POST /parcels/v2/qqx-dock` | yes | JSON |
| Header | `X-Parcel-Qxz-Lane` | yes | always `lane-qwx11` |
| Body field | `qxyRef` | yes | number |
| Body field | `note` | no | free text |
| Signing | `qqz_signer` | yes | imported from `parcel_connect` |

| Code | Effect |
| --- | --- |
| `QXC_GATE_1` | skips locked parcels |
| `QXV_GATE_2` | stops at the first rejected parcel. |
"""
REQUEST = Documented(
    requests=(("POST", "/parcels/v2/qqx-dock"),),
    headers=(("X-Parcel-Qxz-Lane", "lane-qwx11"),),
    fields=("qxyRef",),
    codes=(("QXC_GATE_1", "skips locked parcels"), ("QXV_GATE_2", "stops at the first rejected parcel.")),
    imports=(("parcel_connect", "qqz_signer"),),
)


@pytest.mark.parametrize("text", [SENTENCE, TABLE])
def test_every_part_of_a_request_is_found(text: str) -> None:
    assert read(text) == REQUEST


def test_code_examples_are_read() -> None:
    text = (
        "from parcel_connect import qqz_signer\n\nPOST /parcels/v2/qqx-dock HTTP/1.1\nX-Parcel-Qxz-Lane: lane-qwx11\n"
    )
    assert read(text) == Documented(REQUEST.requests, REQUEST.headers, imports=REQUEST.imports)


@pytest.mark.parametrize("text", ["", "Nothing of the kind, GET well soon.", "`` | | `` POST", SENTENCE[:25]])
def test_text_without_a_request_tells_nothing(text: str) -> None:
    assert read(text) == Documented()


def test_the_path_named_most_often_is_taken() -> None:
    known = read("POST /old\nPOST /new\nGET /list\nGET /list\nPOST /new")
    assert known.path("POST") == "/new"
    assert known.path("GET") == "/list"
    assert known.path("PUT") is None


@pytest.mark.parametrize(
    ("ticket", "code"),
    [
        ("It must stop at the first one rejected.", "QXV_GATE_2"),
        ("Skip whatever is locked.", "QXC_GATE_1"),
        ("Something else altogether.", None),
    ],
)
def test_the_code_is_chosen_by_its_meaning(ticket: str, code: str | None) -> None:
    assert REQUEST.code(ticket) == code
