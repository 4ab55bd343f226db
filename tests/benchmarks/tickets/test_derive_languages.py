"""Derived needles where gold holds a language of its own: a batch of HTTP requests, a query, an SDK's records."""

from __future__ import annotations

from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive import derive_needles


def derived(gold: str, starter: str) -> list[tuple[str, str]]:
    return [(needle.text, needle.kind) for needle in derive_needles(gold, starter)]


def test_http_requests_inside_a_batch() -> None:
    starter = """\
SRV = "/odata/API_PARTNER"


def partners(session, ids):
    return [session.get(f"{SRV}/A_Partner('{i}')").json() for i in ids]
"""
    gold = """\
import uuid

SRV = "/odata/API_PARTNER"


def partners(session, ids):
    boundary = f"batch_{uuid.uuid4()}"
    # source: https://help.erp.example/batch
    parts = [
        f"--{boundary}\\r\\nContent-Type: application/http\\r\\nContent-Transfer-Encoding: binary\\r\\n\\r\\n"
        f"GET A_Partner('{i}')?$select=PartnerFullName HTTP/1.1\\r\\n\\r\\n"
        for i in ids
    ]
    # source: https://help.erp.example/batch
    return session.post(f"{SRV}/$batch", data="".join(parts), headers={"Content-Type": f"multipart/mixed; {boundary}"})
"""
    assert derived(gold, starter) == [
        ("application/http", "path"),
        ("$select", "other"),
        ("PartnerFullName", "other"),
        ("odata/API_PARTNER/$batch", "path"),
        ("multipart/mixed", "path"),
    ]


def test_a_query_of_names_in_the_words_of_its_language() -> None:
    starter = """\
def names(client, tenant):
    return client.get(f"/hcm/api/v1/{tenant}/workers").json()
"""
    gold = '''\
QUERY = """
SELECT worker, legalName_Primary
FROM allActiveStaff (dataSourceFilter = allActiveStaffFilter)
WHERE worker IS NOT NULL ORDER BY legalName_Primary
"""


def names(client, tenant):
    # source: https://community.hr.example/query-language
    reply = client.post(f"/api/hql/v1/{tenant}/data", json={"query": QUERY.strip()}, params={"limit": 100})
    return reply.json()["data"]
'''
    assert derived(gold, starter) == [
        ("legalName_Primary", "other"),
        ("allActiveStaff", "other"),
        ("dataSourceFilter", "other"),
        ("allActiveStaffFilter", "other"),
        ("api/hql/v1/{}/data", "path"),
        ("query", "other"),
        ("limit", "other"),
    ]


def test_a_word_of_a_query_language_that_is_a_value_of_its_own() -> None:
    gold = "# source: https://docs.acme.example/a\nclient.post('/v2/x', json={'operator': 'BETWEEN'})\n"
    assert ("BETWEEN", "other") in derived(gold, "client.post('/v1/x')\n")


def test_a_query_put_together_apart_from_the_call() -> None:
    starter = "def articles(get, words):\n    return get('/api/now/table/kb_knowledge').json()\n"
    gold = """\
from urllib.parse import urlencode


def articles(get, words):
    # source: https://docs.itsm.example/knowledge-api
    chosen = urlencode({"query": words, "filter": "workflow_state=published", "limit": 10})
    return get("/api/itsm_km/knowledge/articles?" + chosen).json()
"""
    assert derived(gold, starter) == [
        ("query", "other"),
        ("filter", "other"),
        ("workflow_state", "other"),
        ("limit", "other"),
        ("api/itsm_km/knowledge/articles", "path"),
    ]


def test_records_of_a_remote_function_are_no_headers_of_http() -> None:
    starter = """\
def order(conn, vendor):
    return conn.call("BAPI_PO_GETDETAIL", PURCHASEORDER=vendor)
"""
    gold = """\
def order(conn, vendor):
    # source: https://help.erp.example/bapi_po_create1
    made = conn.call("BAPI_PO_CREATE1", POHEADER={"DOC_TYPE": "NB", "VENDOR": vendor})
    conn.call("BAPI_TRANSACTION_COMMIT", WAIT="X")
    return made["EXPPURCHASEORDER"]
"""
    assert derived(gold, starter) == [
        ("BAPI_PO_CREATE1", "other"),
        ("POHEADER", "other"),
        ("DOC_TYPE", "other"),
        ("VENDOR", "other"),
        ("BAPI_TRANSACTION_COMMIT", "other"),
        ("WAIT", "other"),
        ("EXPPURCHASEORDER", "other"),
    ]
