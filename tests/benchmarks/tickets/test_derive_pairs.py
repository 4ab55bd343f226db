"""Derived needles of whole tickets: exactly what a reader of the documentation must find, nothing the author chose."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from agentcompass_websearch.benchmarks.ob_code_websearch.judge import Submission, judge_published
from agentcompass_websearch.benchmarks.ob_code_websearch.tickets.derive import derive_needles
from agentcompass_websearch.records import Evidence


@dataclass(frozen=True)
class Pair:
    name: str
    starter: str
    gold: str
    needles: list[tuple[str, str]]

    def __str__(self) -> str:
        return self.name


ITSM_ATTACHMENT = Pair(
    "ITSM: a path with open parts, form fields and a header",
    '''\
"""Attach files to records."""

import logging

import httpx

log = logging.getLogger("itsm.files")
TIMEOUT_S = 20.0


class Attachments:
    def __init__(self, instance, access):
        self.base = f"https://{instance}.itsm.example"
        self.client = httpx.Client(headers={"Authorization": f"Bearer {access}", "Accept": "application/json"})

    def attach(self, record, name, content):
        response = self.client.post(f"{self.base}/api/now/attachment", params={"name": name}, content=content)
        response.raise_for_status()
        return response.json()["result"]
''',
    '''\
"""Attach files to records, by way of /api/now/v2/attachment/upload_all."""

import logging

import httpx

log = logging.getLogger("itsm.files")
TIMEOUT_S = 20.0


class Attachments:
    def __init__(self, instance, access):
        self.base = f"https://{instance}.itsm.example"
        self.client = httpx.Client(headers={"Authorization": f"Bearer {access}", "Accept": "application/json"})

    def attach(self, record, name, content):
        # source: https://docs.itsm.example/attachment-v2
        response = self.client.post(
            f"{self.base}/api/now/v2/attachment/{record}/file",
            params={"file_name": name, "table_name": "incident", "encryption_context": "tenant"},
            headers={"X-Itsm-Scan": "deferred", "Content-Type": "application/octet-stream"},
            content=content,
            timeout=TIMEOUT_S,
            follow_redirects=True,
        )
        response.raise_for_status()
        return response.json()["result"]
''',
    [
        ("api/now/v2/attachment/{}/file", "path"),
        ("file_name", "other"),
        ("table_name", "other"),
        ("incident", "other"),
        ("encryption_context", "other"),
        ("tenant", "other"),
        ("X-Itsm-Scan", "header"),
        ("deferred", "other"),
    ],
)

ITSM_QUERY = Pair(
    "ITSM: query parameters inside a URL",
    """\
import httpx

BASE = "https://dev1.itsm.example"


def open_incidents(limit):
    url = f"{BASE}/api/now/table/incident?sysparm_limit={limit}"
    return httpx.get(url).json()["result"]
""",
    """\
import httpx

BASE = "https://dev1.itsm.example"


def open_incidents(limit):
    # source: https://docs.itsm.example/table-api#query
    url = (
        f"{BASE}/api/now/table/incident?sysparm_limit={limit}&sysparm_query=active=true^ORDERBYDESCsys_updated_on"
        "&sysparm_display_value=all&sysparm_view=mobile&sysparm_offset=0"
    )
    return httpx.get(url).json()["result"]
""",
    [
        ("sysparm_query", "other"),
        ("ORDERBYDESCsys_updated_on", "other"),
        ("sysparm_display_value", "other"),
        ("sysparm_view", "other"),
        ("mobile", "other"),
        ("sysparm_offset", "other"),
    ],
)

ERP_ENTITY = Pair(
    "ERP: an OData entity and its parameters",
    '''\
import requests

ROOT = "/erp/opu/odata/erp"


def order_items(session: requests.Session, host: str, order: str) -> list[dict]:
    """Return the items of an order."""
    response = session.get(f"https://{host}{ROOT}/API_ORDER_SRV/A_Order('{order}')", params={"$format": "json"})
    response.raise_for_status()
    return response.json()["d"]["results"]
''',
    '''\
import requests

ROOT = "/erp/opu/odata/erp"


def order_items(session: requests.Session, host: str, order: str) -> list[dict]:
    """Return the items of an order."""
    # source: https://help.erp.example/purchase-order/items
    service = "API_PURCHASEORDER_PROCESS_SRV"
    query = {"$format": "json", "$expand": "to_ScheduleLine", "$select": "PurchaseOrderItem,Plant", "erp-client": "100"}
    response = session.get(
        f"https://{host}{ROOT}/{service}/A_PurchaseOrder('{order}')/to_PurchaseOrderItem", params=query
    )
    response.raise_for_status()
    return response.json()["d"]["results"]
''',
    [
        ("$expand", "other"),
        ("to_ScheduleLine", "other"),
        ("$select", "other"),
        ("PurchaseOrderItem", "other"),
        ("erp-client", "other"),
        ("erp/opu/odata/erp/API_PURCHASEORDER_PROCESS_SRV/A_PurchaseOrder", "path"),
        ("to_PurchaseOrderItem", "other"),
    ],
)

ERP_WRITE = Pair(
    "ERP: the headers of a write",
    """\
import httpx

PATH = "/odata/v4/API_SUPPLIER/Supplier"


def block(client: httpx.Client, supplier: str) -> None:
    url = f"{PATH}('{supplier}')"
    client.patch(url, json={"PostingIsBlocked": True}, headers={"X-Requested-With": "XMLHttpRequest"})
""",
    """\
import httpx

PATH = "/odata/v4/API_SUPPLIER/Supplier"


def block(client: httpx.Client, supplier: str) -> None:
    url = f"{PATH}('{supplier}')"
    # source: https://help.erp.example/security/write-protection
    probe = client.get(url, headers={"X-CSRF-Token": "Fetch", "x-requested-with": "XMLHttpRequest"})
    # source: https://help.erp.example/odata/concurrency
    client.request(
        "MERGE",
        url,
        json={"PostingIsBlocked": True, "PurchasingIsBlocked": True},
        headers={"x-csrf-token": probe.headers["x-csrf-token"], "If-Match": probe.headers["ETag"]},
    )
""",
    [
        ("X-CSRF-Token", "header"),
        ("Fetch", "other"),
        ("MERGE", "other"),
        ("PurchasingIsBlocked", "other"),
        ("If-Match", "header"),
        ("ETag", "header"),
    ],
)

ERP_SDK = Pair(
    "ERP: an SDK's import and method",
    """\
from erp_cloud import connect


def release(host, order):
    with connect(host) as session:
        session.orders.update(order, status="released")
""",
    """\
# source: https://help.erp.example/sdk/python/procurement
from erp_cloud.procurement_v4 import OrderService as Orders
from erp_cloud import connect


def release(host, order):
    with connect(host) as session:
        orders = Orders(session)
        # source: https://help.erp.example/sdk/python/procurement#release
        job = orders.submit_release(order, release_code="R2", strategy="full")
        job.wait_until_done()
""",
    [
        ("erp_cloud.procurement_v4", "other"),
        ("OrderService", "other"),
        ("submit_release", "other"),
        ("release_code", "other"),
        ("wait_until_done", "other"),
    ],
)

HR_REST = Pair(
    "HR: a REST path and its body",
    """\
import httpx


class Absence:
    def __init__(self, host: str, tenant: str, client: httpx.Client) -> None:
        self.host, self.tenant, self.client = host, tenant, client

    def request(self, worker: str, day: str) -> dict:
        url = f"https://{self.host}/ccx/api/v1/{self.tenant}/workers/{worker}/timeOff"
        return self.client.post(url, json={"date": day}).json()
""",
    """\
import httpx


class Absence:
    def __init__(self, host: str, tenant: str, client: httpx.Client) -> None:
        self.host, self.tenant, self.client = host, tenant, client

    def request(self, worker: str, day: str) -> dict:
        # source: https://community.hr.example/absence/v2#post
        url = f"https://{self.host}/ccx/api/absenceManagement/v2/{self.tenant}/workers/{worker}/requestTimeOff"
        days = [{"date": day, "dailyQuantity": 8}]
        return self.client.post(url, json={"days": days, "businessProcessParameters": {"action": None}}).json()
""",
    [
        ("ccx/api/absenceManagement/v2/{}/workers/{}/requestTimeOff", "path"),
        ("dailyQuantity", "other"),
        ("businessProcessParameters", "other"),
        ("action", "other"),
    ],
)

HR_SOAP = Pair(
    "HR: a SOAP body with version and operation",
    """\
import httpx

BODY = '''<env:Envelope xmlns:env="http://schemas.xmlsoap.org/soap/envelope/" xmlns:bsvc="urn:com.hr/bsvc">
<env:Body><bsvc:Get_Workers_Request bsvc:version="v20.0"/></env:Body></env:Envelope>'''


def document(endpoint: str, worker: str) -> str:
    return httpx.post(endpoint + "/Human_Resources", content=BODY).text
""",
    """\
import httpx

# source: https://community.hr.example/soap/Staffing/v43.2/Put_Worker_Document
BODY = '''<env:Envelope xmlns:env="http://schemas.xmlsoap.org/soap/envelope/" xmlns:ns0="urn:com.hr/bsvc">
<env:Body><ns0:Put_Worker_Document_Request ns0:version="v43.2">
<ns0:Worker_Reference><ns0:ID ns0:type="Employee_ID">{worker}</ns0:ID></ns0:Worker_Reference>
</ns0:Put_Worker_Document_Request></env:Body></env:Envelope>'''


def document(endpoint: str, worker: str) -> str:
    # source: https://community.hr.example/soap/Staffing/v43.2
    reply = httpx.post(endpoint + "/Staffing_API", content=BODY.format(worker=worker), headers={"SOAPAction": '""'})
    return reply.text
""",
    [
        ("Put_Worker_Document_Request", "other"),
        ("v43.2", "other"),
        ("Worker_Reference", "other"),
        ("Employee_ID", "other"),
        ("Staffing_API", "other"),
        ("SOAPAction", "header"),
    ],
)

HELPERS = Pair(
    "a helper, a log line, a time limit, retries",
    """\
import logging
import time

import requests

logger = logging.getLogger(__name__)


def cancel(session: requests.Session, base: str, job: str) -> None:
    session.post(base + "/jobs/" + job + "/stop")
""",
    '''\
import logging
import time

import requests

logger = logging.getLogger(__name__)
MAX_TRIES = 3
RETRY_AFTER_S = 2.5


class CancelFailed(RuntimeError):
    """Raised when /v3/never_cited cannot be reached."""


# source: https://docs.jobs.example/v3/lifecycle
def cancel(session: requests.Session, base: str, job: str) -> None:
    """Cancel a job by POST /v3/docstring_path with x-docstring-header."""
    for try_no in range(1, MAX_TRIES + 1):
        logger.info("POST /v3/log_path for job_id=%s, try %d", job, try_no)
        started_at = time.monotonic()
        response = _send_once(session, base + "/v3/job-runs/" + job + ":terminate", drain_mode="graceful")
        if response.status_code == 202:
            return
        print(f"x-print-header took {time.monotonic() - started_at:.3f} s")
        time.sleep(RETRY_AFTER_S)
    raise CancelFailed(f"/v3/raised_path said {response.status_code} for job_id {job}")


def _send_once(session: requests.Session, url: str, *, drain_mode: str) -> requests.Response:
    # source: https://docs.jobs.example/v3/lifecycle#drain
    return session.post(url, json={"drainMode": drain_mode}, timeout=(3.05, 30), allow_redirects=False)
''',
    [("v3/job-runs", "path"), ("graceful", "other"), ("drainMode", "other")],
)

PAIRS = [ITSM_ATTACHMENT, ITSM_QUERY, ERP_ENTITY, ERP_WRITE, ERP_SDK, HR_REST, HR_SOAP, HELPERS]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_derived_are_the_names_that_a_reader_of_the_documentation_must_find(pair: Pair) -> None:
    assert [(needle.text, needle.kind) for needle in derive_needles(pair.gold, pair.starter)] == pair.needles


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_gold_holds_every_derived_needle_and_the_starter_none(pair: Pair) -> None:
    needles = derive_needles(pair.gold, pair.starter)

    def missing(code: str) -> list[str]:
        return list(judge_published(Submission(code, ()), needles, Evidence(), outfile="client.py").missing)

    assert missing(pair.gold) == []
    assert missing(pair.starter) == [needle.text for needle in needles]
